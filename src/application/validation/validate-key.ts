import type { KeyStanding } from '../../domain/keys/key-standing.js';
import { digestMatches, KeyString } from '../../domain/keys/key-string.js';
import type { RateDecision } from '../../domain/rate-limit.js';
import {
  deny,
  type DenialReason,
  isFailedAuthentication,
  type Question,
  type Verdict,
} from '../../domain/keys/verdict.js';
import type { Client, FailedAuthentication } from '../../domain/audit/audit-event.js';
import type {
  ApiKeys,
  Audit,
  KeyReader,
  KeyUsage,
  RateLimiter,
  RefusalDetails,
  Refusals,
  ValidationMeter,
} from '../ports.js';
import type { RecordFirstUse } from './record-first-use.js';

export interface Validation {
  readonly verdict: Verdict;
  /** Of a denial: whose key it is. Absent until the secret is proven. */
  readonly proven?: { readonly keyId: string; readonly ownerId: string };
  /** Absent until the secret is proven. */
  readonly rate?: RateDecision;
}

type Refused = FailedAuthentication & { readonly reason: DenialReason };

export class ValidateKey {
  constructor(
    private readonly reader: KeyReader,
    private readonly limiter: RateLimiter,
    private readonly keys: ApiKeys,
    private readonly firstUse: RecordFirstUse,
    private readonly usage: KeyUsage,
    private readonly audit: Audit,
    private readonly meter: ValidationMeter,
    private readonly refusals: Refusals,
    private readonly keyPrefix: string,
  ) {}

  /**
   * @param credential the presented key string, or undefined when the request carried none that can be read
   * @param service the name of the service that asks, where it has one
   * @param begun the meter's stamp of when the question arrived, where that is known; now unless given
   */
  async execute(
    credential: string | undefined,
    question: Question,
    client: Client,
    service: string | null = null,
    begun = this.meter.begin(),
  ): Promise<Validation> {
    try {
      const validation = await this.validate(credential, question, client, service, begun);
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
    service: string | null,
    begun: number,
  ): Promise<Validation> {
    const keyString = credential === undefined ? undefined : KeyString.parse(credential, this.keyPrefix);
    if (!keyString) {
      const why = credential === undefined ? 'no credential that can be read' : 'not a well-formed key';
      return this.refuseUnproven({ client, publicPart: null, keyId: null, ownerId: null }, why, begun);
    }

    const digest = keyString.digest();
    const { publicPart } = keyString;
    const { sentAt, now, found } = await this.reader.read(publicPart);
    this.meter.countPart('batch', begun, sentAt);
    const readAt = this.meter.countPart('postgresql', sentAt);
    const { id: keyId = null, ownerId = null } = found ?? {};
    if (!digestMatches(digest, found?.digest) || !found) {
      const why = found ? 'wrong secret' : 'unknown key';
      return this.refuseUnproven({ client, publicPart, keyId, ownerId }, why, readAt);
    }

    const charge = this.limiter.charge(found.id);
    const rate = charge instanceof Promise ? await charge : charge;
    const chargedAt = this.meter.countPart('limits', readAt);
    if (found.isEndDue(now)) await this.keys.recordDueEnds({ keyId: found.id });
    let verdict = found.judge(question, rate.admitted, now);
    if (verdict.granted && found.awaitsFirstUse) {
      verdict = await this.judgeFirstUse(publicPart, found, question, rate.admitted, client);
      this.meter.countPart('record', chargedAt);
    }
    if (verdict.granted) {
      this.usage.noteGrant(found.id, client.ip, service, now);
      return { verdict, rate };
    }
    await this.refuse({ reason: verdict.reason, client, ownerId, keyId, publicPart }, { question }, chargedAt);
    this.usage.noteRefusal(found.id, now);
    return { verdict, rate, proven: { keyId: found.id, ownerId: found.ownerId } };
  }

  /** A grant would be the first use of the key: it is answered once that is on record. */
  private async judgeFirstUse(
    publicPart: string,
    standing: KeyStanding,
    question: Question,
    isAdmitted: boolean,
    client: Client,
  ): Promise<Verdict> {
    // Not in `validate`: what a function catches for another costs each of its calls.
    const judge = (key: KeyStanding, at: Date) => key.judge(question, isAdmitted, at);
    const verdict = await this.firstUse.execute(standing, judge, client);
    if (verdict) return verdict;
    const { now, found } = await this.reader.read(publicPart);
    if (!found) return deny('invalid-key');
    if (found.isEndDue(now)) await this.keys.recordDueEnds({ keyId: found.id });
    const again = judge(found, now);
    const isFirst = again.granted && found.awaitsFirstUse;
    return isFirst ? this.judgeFirstUse(publicPart, found, question, isAdmitted, client) : again;
  }

  private async refuseUnproven(failure: Omit<Refused, 'reason'>, why: string, since: number): Promise<Validation> {
    await this.refuse({ reason: 'invalid-key', ...failure }, { why }, since);
    return { verdict: deny('invalid-key') };
  }

  /** A failed authentication is on record before it is answered. */
  private async refuse(refused: Refused, details: RefusalDetails, since: number): Promise<void> {
    if (isFailedAuthentication(refused.reason)) {
      await this.audit.recordFailure(refused);
      this.meter.countPart('record', since);
    }
    this.refusals.note(refused, details);
  }
}
