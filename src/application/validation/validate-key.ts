import { isProof } from '#domain/keys/key-restrictions.js';
import { readImported } from '#domain/keys/imported-key.js';
import type { KeyStanding } from '#domain/keys/key-standing.js';
import { KeyString } from '#domain/keys/key-string.js';
import { leaseLength, type LeaseWish } from '#domain/keys/lease.js';
import type { RateDecision, RateLimit } from '#domain/rate-limit.js';
import { deny, type DenialReason, isFailedAuthentication, type Question, type Verdict } from '#domain/keys/verdict.js';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';
import { usedBy } from '#domain/usage/key-history.js';
import { withoutSecrets } from '#domain/secrets.js';
import type { Ports } from '../ports.js';
import type {
  KeyReader,
  KeyReading,
  MeasuredRequest,
  LeaseOffer,
  RefusalDetails,
  ValidationTimer,
} from '../validation-ports.js';
import type { RecordDueEnds, FirstUse, RecordFirstUse } from '../keys/record-due-ends.js';

export interface ValidationRequest extends MeasuredRequest {
  /** Undefined when the request has none that can be read. */
  readonly credential: string | undefined;
  readonly question: Question;
  /** The caller would hold a lease. */
  readonly leaseWish?: LeaseWish | undefined;
}

export interface Validation {
  readonly verdict: Verdict;
  /** Of a denial: the key and its owner. Undefined until the secret is proven. */
  readonly proven?: { readonly keyId: string; readonly ownerId: string };
  /** Undefined until the secret is proven and the address is allowed. */
  readonly rate?: RateDecision;
  readonly lease?: LeaseOffer;
}

/** Where the keys are found that are made here, and imported ones. */
export interface KeySources extends Pick<Ports, 'keyReader' | 'importReader'> {
  readonly keyPrefix: string;
  /** How imported keys begin. */
  readonly importPrefixes: readonly string[];
}

export interface ValidationParts extends KeySources, Pick<Ports, 'limiter' | 'usage' | 'audit' | 'meter' | 'refusals'> {
  readonly dueEnds: RecordDueEnds;
  readonly recordFirstUse: RecordFirstUse;
  /** Of keys whose owner has no limit of their own. */
  readonly rateLimit: RateLimit;
  /** LEASE_MS; 0: no leases. */
  readonly leaseMs: number;
}

/** A credential that has the form of a key, and where to find that key. */
export interface Presented {
  readonly publicPart: string;
  readonly digest: Buffer;
  readonly reader: KeyReader;
}

type Denied = FailedAuthentication & { readonly reason: DenialReason };

export class ValidateKey {
  constructor(private readonly parts: ValidationParts) {}

  async execute(request: ValidationRequest): Promise<Validation> {
    const timer = this.parts.meter.begin(request);
    try {
      const validation = await this.validate(request, timer);
      timer.end(validation.verdict, validation.lease?.uses);
      return validation;
    } catch (error) {
      timer.fail(error);
      throw error;
    }
  }

  private async validate(request: ValidationRequest, timer: ValidationTimer): Promise<Validation> {
    const { limiter, usage, rateLimit } = this.parts;
    const { credential, question, client, service = null } = request;
    const presented = credential === undefined ? undefined : presentedIn(credential, this.parts);
    if (!presented) {
      const why = credential === undefined ? 'no credential that can be read' : 'not a well-formed key';
      return this.denyUnproven({ client, publicPart: null, keyId: null, ownerId: null }, why, timer);
    }
    const { publicPart, digest, reader } = presented;
    const reading = await reader.read(publicPart);
    const { sentAt, now, found } = reading;
    timer.endPart('batch', sentAt);
    timer.endPart('postgresql');
    const { id: keyId = null, ownerId = null } = found ?? {};
    if (!isProof(digest, found?.proof) || !found) {
      const why = found ? 'wrong secret' : 'unknown key';
      return this.denyUnproven({ client, publicPart, keyId, ownerId }, why, timer);
    }
    const isCharged = found.isAllowedFrom(question.clientAddress);
    const lengthMs = isCharged ? this.leaseLength(request, found, reading) : undefined;
    const ahead = lengthMs === undefined ? 0 : request.leaseWish!.uses;
    const charge = isCharged ? limiter.charge(found.id, found.rateLimit(rateLimit), ahead) : undefined;
    const rate = charge instanceof Promise ? await charge : charge;
    timer.endPart('limits');
    // Without a charge, the address or something before it decides.
    const isAdmitted = rate === undefined || rate.admitted;
    let verdict = found.verdictOn(question, isAdmitted, now);
    if (found.isEndDue(now) || (verdict.granted && found.awaitsUse)) {
      const asked = { question, isAdmitted, client, since: performance.now() };
      verdict = await this.recordedVerdict(presented, asked, { now, found });
      if (verdict.granted) timer.endPart('record');
    }
    const charged = rate ? { rate } : {};
    if (verdict.granted) {
      usage.noteGrant(found.id, client.ip, service, now, usedBy(question, verdict.permissions));
      if (lengthMs === undefined || !rate?.usesAhead) return { verdict, ...charged };
      return { verdict, rate, lease: { lengthMs, uses: rate.usesAhead, rights: found.rights } };
    }
    const { reason } = verdict;
    await this.recordDenial({ reason, client, ownerId, keyId, publicPart }, { question, rights: found.rights }, timer);
    const { operation } = question;
    // The caller chooses it, so it may hold a key.
    const permission = withoutSecrets(question.permission);
    usage.noteDenial(
      found.id,
      now,
      client.ip === null ? undefined : { clientIp: client.ip, service, reason, operation, permission },
    );
    return { verdict, ...charged, proven: { keyId: found.id, ownerId: found.ownerId } };
  }

  /** How long a lease may be, if the request is granted and its uses can be charged. Undefined: there is none. */
  private leaseLength(
    { leaseWish, question }: ValidationRequest,
    found: KeyStanding,
    { now, forLease }: KeyReading,
  ): number | undefined {
    if (!leaseWish || !forLease || found.isEndDue(now) || !found.verdictOn(question, true, now).granted)
      return undefined;
    return leaseLength(this.parts.leaseMs, leaseWish, { ...found.forLease, ...forLease }, now);
  }

  /** The verdict on the key. A due end, a successor's first use, or a use of a key that was found idle, is committed before the answer. */
  private async recordedVerdict(
    presented: Presented,
    asked: Omit<FirstUse, 'standing' | 'readAt'>,
    { found, now }: Pick<KeyReading, 'found' | 'now'>,
  ): Promise<Verdict> {
    const { dueEnds, recordFirstUse } = this.parts;
    if (!found) return deny('invalid-key');
    const verdict = found.verdictOn(asked.question, asked.isAdmitted, now);
    if (found.isEndDue(now)) {
      if (await dueEnds.ofKey(found.id, now, asked.since)) return verdict;
    } else if (verdict.granted && found.awaitsUse) {
      const grant = await recordFirstUse.execute({ ...asked, standing: found, readAt: now });
      if (grant) return grant;
    } else {
      return verdict;
    }
    return this.recordedVerdict(presented, asked, await presented.reader.read(presented.publicPart));
  }

  private async denyUnproven(
    failure: Omit<Denied, 'reason'>,
    why: string,
    timer: ValidationTimer,
  ): Promise<Validation> {
    await this.recordDenial({ reason: 'invalid-key', ...failure }, { why }, timer);
    return { verdict: deny('invalid-key') };
  }

  /** A failed authentication is recorded on the audit trail before the answer. */
  private async recordDenial(denied: Denied, details: RefusalDetails, timer: ValidationTimer): Promise<void> {
    if (isFailedAuthentication(denied.reason)) {
      await this.parts.audit.recordFailure(denied);
      timer.endPart('record');
    }
    this.parts.refusals.note(denied, details);
  }
}

/** Undefined for what no key of ours, made here or imported, looks like. It costs no read. */
export function presentedIn(
  credential: string,
  { keyPrefix, keyReader, importReader, importPrefixes }: KeySources,
): Presented | undefined {
  const own = KeyString.parse(credential, keyPrefix);
  if (own) return { publicPart: own.publicPart, digest: own.digest(), reader: keyReader };
  const imported = importReader && readImported(credential, importPrefixes);
  return imported && { publicPart: imported.publicPart, digest: imported.digest, reader: importReader };
}
