import { digestMatches, KeyString } from '../../domain/keys/key-string.js';
import type { RateDecision } from '../../domain/rate-limit.js';
import { deny, isFailedAuthentication, type Question, type Verdict } from '../../domain/keys/verdict.js';
import type { Client, FailedAuthentication } from '../../domain/audit/audit-event.js';
import type { ApiKeys, Audit, KeyReader, LastUse, RateLimiter, ValidationMeter } from '../ports.js';

export interface Validation {
  readonly verdict: Verdict;
  /** Absent until the secret is proven. */
  readonly rate?: RateDecision;
}

export class ValidateKey {
  constructor(
    private readonly reader: KeyReader,
    private readonly limiter: RateLimiter,
    private readonly keys: ApiKeys,
    private readonly lastUse: LastUse,
    private readonly audit: Audit,
    private readonly meter: ValidationMeter,
    private readonly keyPrefix: string,
  ) {}

  /**
   * @param credential the presented key string, or undefined when the request carried none that can be read
   * @param begun the meter's stamp of when the question arrived, where that is known; now unless given
   */
  async execute(
    credential: string | undefined,
    question: Question,
    client: Client,
    begun = this.meter.begin(),
  ): Promise<Validation> {
    try {
      const validation = await this.validate(credential, question, client, begun);
      this.meter.countVerdict(validation.verdict, begun);
      return validation;
    } catch (error) {
      this.meter.countFailure(begun);
      throw error;
    }
  }

  private async validate(
    credential: string | undefined,
    question: Question,
    client: Client,
    begun: number,
  ): Promise<Validation> {
    const keyString = credential === undefined ? undefined : KeyString.parse(credential, this.keyPrefix);
    if (!keyString) return this.refuse({ client, publicPart: null, keyId: null, ownerId: null }, begun);

    const digest = keyString.digest();
    const { publicPart } = keyString;
    const { sentAt, now, found } = await this.reader.read(publicPart);
    this.meter.countPart('batch', begun, sentAt);
    const readAt = this.meter.countPart('postgresql', sentAt);
    const { id: keyId = null, ownerId = null } = found ?? {};
    if (!digestMatches(digest, found?.digest) || !found) {
      return this.refuse({ client, publicPart, keyId, ownerId }, readAt);
    }

    const charge = this.limiter.charge(found.id);
    const rate = charge instanceof Promise ? await charge : charge;
    const chargedAt = this.meter.countPart('limits', readAt);
    if (found.isExpiryDue(now)) await this.keys.recordExpiries({ keyId: found.id });
    const verdict = found.judge(question, rate.admitted, now);
    if (verdict.granted) this.lastUse.note(found.id, now);
    else if (isFailedAuthentication(verdict.reason)) {
      await this.record({ reason: verdict.reason, client, ownerId, keyId, publicPart }, chargedAt);
    }
    return { verdict, rate };
  }

  private async refuse(failure: Omit<FailedAuthentication, 'reason'>, since: number): Promise<Validation> {
    await this.record({ reason: 'invalid-key', ...failure }, since);
    return { verdict: deny('invalid-key') };
  }

  private async record(failure: FailedAuthentication, since: number): Promise<void> {
    await this.audit.recordFailure(failure);
    this.meter.countPart('record', since);
  }
}
