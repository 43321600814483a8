import { ownerDenial, type OwnerStanding } from '../accounts/account.js';
import { rateLimitOf } from '../accounts/entitlements.js';
import type { RateLimit } from '../rate-limit.js';
import { lowerAccess, type AccessLevel } from '../accounts/access-level.js';
import { effectivePermissions } from '../accounts/permission.js';
import { type KeyPauses, pauseEnd, type ApiKeyStatus, dueEnd, type KeyTimes, statusAt } from './key-status.js';
import type { KeyRestrictions } from './key-restrictions.js';
import { isAllowedFrom, type KeyRights, denialBy } from './key-rights.js';
import { deny, type Question, type Verdict } from './verdict.js';

interface KeyStandingState extends KeyTimes, KeyRestrictions, KeyPauses {
  readonly id: string;
  readonly ownerId: string;
  readonly access: AccessLevel;
  /** See `storedDigest`. */
  readonly digest: Buffer;
  readonly createdAt: Date;
  /** Whether the key is a successor that has not been used yet, or was found idle by the first of two checks. */
  readonly awaitsUse: boolean;
  readonly owner: OwnerStanding;
}

/** A key and its owner, from one database read. It is immutable, so that concurrent validations can share it. */
export class KeyStanding {
  constructor(private readonly state: KeyStandingState) {}

  get id(): string {
    return this.state.id;
  }
  get ownerId(): string {
    return this.state.ownerId;
  }
  get proof(): Pick<KeyStandingState, 'digest' | keyof KeyRestrictions | keyof KeyPauses> {
    return this.state;
  }

  /** If so, a grant must be committed as a use before the answer. */
  get awaitsUse(): boolean {
    return this.state.awaitsUse;
  }

  /** What decides about a lease on the key. The restrictions are those that a guard has to know. */
  get forLease() {
    const { awaitsUse, expiresAt, endsAt, permissions, allowedNetworks } = this.state;
    const restrictions = [permissions && 'permissions', allowedNetworks && 'networks'].filter((each) => each !== null);
    return { awaitsUse, expiresAt, endsAt, restrictions };
  }

  status(now: Date): ApiKeyStatus {
    return statusAt(now, this.state);
  }

  /** A due end must be recorded before the answer. */
  isEndDue(now: Date): boolean {
    return dueEnd(now, this.state) !== undefined;
  }

  ownedBy({ status, permissions, limits, attributes }: OwnerStanding): KeyStanding {
    return new KeyStanding({ ...this.state, owner: { status, permissions, limits, attributes } });
  }

  /** @param service the limit of keys whose owner has no rate or burst of their own */
  rateLimit(service: RateLimit): RateLimit {
    return rateLimitOf(this.state.owner.limits, service);
  }

  /** Whether requests from this address may use the key. Before that nothing is charged. */
  isAllowedFrom(clientAddress: string | null | undefined): boolean {
    return isAllowedFrom(this.state.allowedNetworks, clientAddress);
  }

  /** What the key may do while it and its owner are active. */
  get rights(): KeyRights {
    const { owner, permissions: subset, allowedNetworks } = this.state;
    const access = lowerAccess(this.state.access, owner.limits.maxAccess);
    const permissions = effectivePermissions(access, owner.permissions, subset);
    return { access, permissions, hasSubset: subset !== null, allowedNetworks };
  }

  /** The verdict on a key whose secret is proven. Key and owner were read together, at `now`. */
  verdictOn(question: Question, withinRateLimit: boolean, now: Date): Verdict {
    const { id, ownerId, owner, createdAt } = this.state;
    const expiresAt = this.state.endsAt ?? this.state.expiresAt;
    const status = this.status(now);
    if (status !== 'active') return deny(status);
    if (pauseEnd(this.state, now)) return deny('paused');
    if (owner.status !== 'active') return deny(ownerDenial(owner.status));
    const { rights } = this;
    const denial = denialBy(rights, question, withinRateLimit);
    if (denial) return denial;
    const { access, permissions } = rights;
    return {
      granted: true,
      keyId: id,
      ownerId,
      access,
      permissions,
      attributes: owner.attributes,
      createdAt,
      expiresAt,
    };
  }
}
