import type { sendUnaryData, Server, ServerUnaryCall } from '@grpc/grpc-js';
import type { ValidateKey } from '../../../../application/keys/validate-key.js';
import type { KeyAnswers } from '../../shared/key-answers.js';
import type { Log } from '../../../telemetry/log.js';
import type { ServiceIdentity } from '../../shared/service-identity.js';
import { callerOf } from '../caller.js';
import { toStatus } from '../grpc-error.js';
import { toCheckAnswer } from './check-answer.js';
import { readCheck } from './read-check.js';
import { AUTHORIZATION_SERVICE, type WireCheck, type WireCheckAnswer } from './check-messages.js';

/** `envoy.service.auth.v3.Authorization`: what Envoy's filter ext_authz asks before it lets a request through. */
export class EnvoyAuthorization {
  /** One line a fault, not one a request: there are three of them. */
  private readonly told = new Set<string>();

  constructor(
    private readonly validateKey: ValidateKey,
    private readonly identity: ServiceIdentity,
    private readonly answers: KeyAnswers,
    private readonly log: Log,
  ) {}

  addTo(server: Server): void {
    server.addService(AUTHORIZATION_SERVICE, {
      Check: (call: ServerUnaryCall<WireCheck, WireCheckAnswer>, done: sendUnaryData<WireCheckAnswer>) =>
        void this.check(call, done),
    });
  }

  private async check(
    call: ServerUnaryCall<WireCheck, WireCheckAnswer>,
    done: sendUnaryData<WireCheckAnswer>,
  ): Promise<void> {
    try {
      this.identity.require('validator', callerOf(call));
    } catch (error) {
      this.log.fault(error);
      done(toStatus(error));
      return;
    }
    done(null, await this.answer(call.request));
  }

  /**
   * Never fails: an error of ours is a denial too. Envoy takes a gRPC error for an authorization service out of order,
   * and with `failure_mode_allow` it then lets the request through.
   */
  private async answer(wire: WireCheck): Promise<WireCheckAnswer> {
    try {
      const { credential, question, client, fault } = readCheck(wire);
      if (fault) this.tellOnce(fault);
      const validation = await this.validateKey.execute(credential, question, client);
      return toCheckAnswer(this.answers.of(validation), fault);
    } catch (error) {
      this.log.fault(error);
      return toCheckAnswer(this.answers.unavailable);
    }
  }

  private tellOnce(fault: string): void {
    if (this.told.has(fault)) return;
    this.told.add(fault);
    this.log.warn('a route of Envoy stays closed to every key', { fault });
  }
}
