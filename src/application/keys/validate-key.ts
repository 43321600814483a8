import { digestMatches, KeyString } from '../../domain/keys/key-string.js';
import type { RateDecision } from '../../domain/keys/rate-limit.js';
import { deny, isFailedAuthentication, type Question, type Verdict } from '../../domain/keys/verdict.js';
import type { Client } from '../../domain/audit/audit-event.js';
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

  /** @param credential the presented key string, or undefined when the request carried none that can be read */
  async execute(credential: string | undefined, question: Question, client: Client): Promise<Validation> {
    const begun = this.meter.begin();
    try {
      const validation = await this.validate(credential, question, client);
      this.meter.countVerdict(validation.verdict, begun);
      return validation;
    } catch (error) {
      this.meter.countFailure(begun);
      throw error;
    }
  }

  private async validate(credential: string | undefined, question: Question, client: Client): Promise<Validation> {
    const keyString = credential === undefined ? undefined : KeyString.parse(credential, this.keyPrefix);
    if (!keyString) return this.refuse(client, null, null, null);

    const digest = keyString.digest();
    const { now, found } = await this.reader.read(keyString.publicPart);
    const isProven = digestMatches(digest, found?.digest);
    if (!isProven || !found) {
      return this.refuse(client, keyString.publicPart, found?.id ?? null, found?.ownerId ?? null);
    }

    const charge = this.limiter.charge(found.id);
    const rate = charge instanceof Promise ? await charge : charge;
    if (found.isExpiryDue(now)) await this.keys.recordExpiries({ keyId: found.id });
    const verdict = found.judge(question, rate.admitted, now);
    if (verdict.granted) this.lastUse.note(found.id, now);
    else if (isFailedAuthentication(verdict.reason)) {
      const { id: keyId, ownerId } = found;
      const { publicPart } = keyString;
      await this.audit.recordFailure({ reason: verdict.reason, client, ownerId, keyId, publicPart });
    }
    return { verdict, rate };
  }

  private async refuse(
    client: Client,
    publicPart: string | null,
    keyId: string | null,
    ownerId: string | null,
  ): Promise<Validation> {
    await this.audit.recordFailure({ reason: 'invalid-key', client, ownerId, keyId, publicPart });
    return { verdict: deny('invalid-key') };
  }
}
