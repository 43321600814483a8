import { Metadata, type ServerDuplexStream, type ServerUnaryCall } from '@grpc/grpc-js';
import { Controller, UseFilters } from '@nestjs/common';
import { GrpcMethod, GrpcStreamCall } from '@nestjs/microservices';
import { ValidateKey } from '../../application/validate-key.js';
import { Log } from '../log.js';
import { toResponse } from './answers.js';
import type { ValidateKeyRequest__Output as Request } from './generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse as Response } from './generated/latchkey/v1/ValidateKeyResponse.js';
import { readQuestion } from './questions.js';
import { RateLimitWindow } from './rate-limit-window.js';
import { ServiceIdentity } from './service-identity.js';
import { OpenStreams } from './open-streams.js';
import { answerStream } from './validation-stream.js';
import { GrpcErrorFilter, toStatus } from './grpc-error.js';

@Controller()
@UseFilters(GrpcErrorFilter)
export class ApiKeyController {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly identity: ServiceIdentity,
    private readonly window: RateLimitWindow,
    private readonly streams: OpenStreams,
    private readonly log: Log,
  ) {}

  @GrpcMethod('ApiKeyService', 'ValidateKey')
  async validate(request: Request, _metadata: Metadata, call: ServerUnaryCall<Request, Response>): Promise<Response> {
    this.identity.require('validator', call);
    call.sendMetadata(this.window.metadata());
    return this.answer(request);
  }

  @GrpcStreamCall('ApiKeyService', 'ValidateKeys')
  validateStream(call: ServerDuplexStream<Request, Response>): void {
    try {
      this.identity.require('validator', call);
    } catch (error) {
      call.emit('error', toStatus(error));
      return;
    }
    call.sendMetadata(this.window.metadata());
    this.streams.add(call);
    answerStream(call, (request) => this.answer(request), this.log);
  }

  private async answer(request: Request): Promise<Response> {
    const { credential, question, client } = readQuestion(request);
    return toResponse(request.requestId, await this.validateKey.execute(credential, question, client));
  }
}
