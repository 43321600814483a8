import type { RefusalDetails, Refusals } from '../../application/ports.js';
import type { FailedAuthentication } from '../../domain/audit/audit-event.js';
import type { Log } from './log.js';

/** One line a refusal, at debug: at any other level it costs a look at the level. */
export class LoggedRefusals implements Refusals {
  constructor(private readonly log: Log) {}

  note({ reason, client, keyId, ownerId, publicPart }: FailedAuthentication, { why, question }: RefusalDetails): void {
    if (!this.log.isDebug) return;
    const facts = { reason, why, ...question, requestId: client.requestId, keyId, ownerId, publicPart };
    this.log.debug('refused', Object.fromEntries(Object.entries(facts).filter(([, value]) => value)));
  }
}
