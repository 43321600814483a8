import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { ReportUses } from '#application/validation/report-uses.js';
import type { ValidateKey } from '#application/validation/validate-key.js';
import { type RateLimit, rateLimitWindowSeconds } from '#domain/rate-limit.js';
import { counter, gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type * as proto from '../generated/types.js';
import { type GrpcDoor, OpenStreams, type StreamMethod, type UnaryMethod } from '../grpc-door.js';
import { toAnswer, toFailure } from './answers.js';
import {
  readReport,
  readRequest,
  requestIdOf,
  VALIDATION_PROTO,
  VALIDATION_SERVICE,
  type WireQuestion,
  type WireReport,
} from './validation-messages.js';

interface ValidationServiceParts {
  readonly validateKey: ValidateKey;
  readonly reportUses: ReportUses;
  readonly rateLimit: RateLimit;
  readonly log: Log;
}

/** `latchkey.v1.ApiKeyService`: guards call it for every request of the platform. */
export class ValidationService implements GrpcDoor {
  readonly service = 'latchkey.v1.ApiKeyService';
  readonly proto = VALIDATION_PROTO;
  readonly definition = VALIDATION_SERVICE;
  readonly role = 'validator';
  readonly methods;
  readonly streams = new OpenStreams();
  /** `w` of the RateLimit-Policy header: the seconds in which an empty bucket refills. Sent as initial metadata. */
  private readonly window = new Metadata();

  constructor(private readonly parts: ValidationServiceParts) {
    this.window.set('latchkey-ratelimit-window', String(rateLimitWindowSeconds(parts.rateLimit)));
    const ValidateKey: UnaryMethod<WireQuestion, proto.ValidateKeyResponse> = {
      answer: (question, { name }) => this.answer(question, name),
      metadata: this.window,
      requestId: requestIdOf,
    };
    const ValidateKeys: StreamMethod<WireQuestion, proto.ValidateKeyResponse> = {
      converse: (call, each, { name }) => {
        call.sendMetadata(this.window);
        answerStream(call, (wire) => each(() => this.answer(wire, name), wire.arrivedAt), parts.log);
      },
    };
    const Reporting: UnaryMethod<WireReport, object> = {
      answer: async (report, { name }) => {
        await parts.reportUses.execute(readReport(report), name);
        return {};
      },
    };
    this.methods = { ValidateKey, ValidateKeys, ReportUses: Reporting };
  }

  instruments(): Instrument[] {
    const { counts } = this.parts.reportUses;
    return [
      gauge('latchkey_validation_streams_open', 'Open validation streams', () => this.streams.count),
      counter('latchkey_lease_uses_reported_total', 'Uses of leases that guards reported', () => counts.reported),
      counter(
        'latchkey_lease_uses_dropped_total',
        'Reported uses that were not counted: the credential proves no key, or the limit of the key admits fewer',
        () => counts.dropped,
      ),
    ];
  }

  private async answer(wire: WireQuestion, service: string): Promise<proto.ValidateKeyResponse> {
    const { validateKey, rateLimit } = this.parts;
    return toAnswer(wire.requestId, await validateKey.execute(readRequest(wire, service)), rateLimit);
  }
}

/** The most questions of one stream in progress. HTTP/2 flow control holds back more. */
const MAX_OPEN = 1024;

/**
 * Answers each question of a stream as soon as its verdict is known. Stops reading while too many questions are open or
 * the client does not read its answers. A failed question does not affect the others.
 */
function answerStream(
  call: ServerDuplexStream<WireQuestion, proto.ValidateKeyResponse>,
  answer: (question: WireQuestion) => Promise<proto.ValidateKeyResponse>,
  log: Log,
): void {
  let open = 0;
  let isBlocked = false;
  let hasEnded = false;

  const write = (message: proto.ValidateKeyResponse) => {
    if (!call.cancelled && call.writable && !call.write(message)) isBlocked = true;
  };
  const advance = () => {
    if (hasEnded && open === 0 && !call.cancelled) call.end();
    else if (!isBlocked && open < MAX_OPEN) call.resume();
    else call.pause();
  };
  const finish = () => {
    hasEnded = true;
    advance();
  };

  call.on('data', (question: WireQuestion) => {
    if (hasEnded) return;
    open += 1;
    advance();
    void answer(question)
      .catch((error: unknown) => {
        log.fault(error, { requestId: requestIdOf(question) });
        return toFailure(question.requestId, error);
      })
      .then((message) => {
        write(message);
        open -= 1;
        advance();
      });
  });
  call.on('drain', () => {
    isBlocked = false;
    advance();
  });
  call.on('end', finish);
  call.on('drain-requested', finish);
  call.on('error', () => call.pause());
}
