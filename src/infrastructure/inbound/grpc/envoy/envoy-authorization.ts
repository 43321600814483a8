import type { ValidateKey } from '../../../../application/validation/validate-key.js';
import type { Log } from '../../../telemetry/log.js';
import { answerToProxy, UNAVAILABLE } from '../../shared/key-answers.js';
import type { GrpcDoor, UnaryMethod } from '../grpc-door.js';
import { toCheckAnswer } from './check-answer.js';
import { AUTHORIZATION_PROTO, AUTHORIZATION_SERVICE, type WireCheck, type WireCheckAnswer } from './check-messages.js';
import { readCheck } from './read-check.js';

/** `envoy.service.auth.v3.Authorization`: Envoy's filter ext_authz calls it before it lets a request through. */
export class EnvoyAuthorization implements GrpcDoor {
  readonly service = 'envoy.service.auth.v3.Authorization';
  readonly proto = AUTHORIZATION_PROTO;
  readonly definition = AUTHORIZATION_SERVICE;
  readonly role = 'validator';
  readonly methods;
  /** Each fault in a route's settings is logged once, not with every request. */
  private readonly logged = new Set<string>();

  constructor(
    private readonly validateKey: ValidateKey,
    private readonly log: Log,
  ) {
    const Check: UnaryMethod<WireCheck, WireCheckAnswer> = {
      answer: (check, _call, identity) => this.answer(check, identity),
      requestId: (check) => readCheck(check).client.requestId ?? undefined,
      // Envoy treats a gRPC error as a failed authorization service, and with `failure_mode_allow` it then lets the
      // request through. So our errors are denials too.
      answerToError: () => toCheckAnswer(UNAVAILABLE),
    };
    this.methods = { Check };
  }

  private async answer(wire: WireCheck, service: string): Promise<WireCheckAnswer> {
    const { credential, question, client, fault } = readCheck(wire);
    if (fault) this.logOnce(fault);
    const validation = await this.validateKey.execute({ credential, question, client, service });
    return toCheckAnswer(answerToProxy(validation), fault);
  }

  private logOnce(fault: string): void {
    if (this.logged.has(fault)) return;
    this.logged.add(fault);
    this.log.warn('a route of Envoy is misconfigured and refuses every key', { fault });
  }
}
