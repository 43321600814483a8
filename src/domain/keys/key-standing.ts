import { ownerRefusal, type OwnerStanding } from '../accounts/account.js';
import { actionOf, isCovered } from '../accounts/permission.js';
import { rateLimitOf } from '../accounts/account-limits.js';
import type { RateLimit } from '../rate-limit.js';
import { lowerAccess, type AccessLevel } from '../accounts/access-level.js';
import { accessAllows, effectivePermissions, isOpenToKeys } from './access.js';
import { AllowedNetworks } from './allowed-networks.js';
import type { KeyRestrictions } from './key-restrictions.js';
import { type ApiKeyStatus, dueEnd, type KeyTimes, statusAt } from './key-status.js';
import { deny, type Question, type Verdict } from './verdict.js';

interface KeyStandingState extends KeyTimes, KeyRestrictions {
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
  private readonly networks: AllowedNetworks | undefined;

  private constructor(private readonly state: KeyStandingState) {
    this.networks = state.allowedNetworks === null ? undefined : AllowedNetworks.restore(state.allowedNetworks);
  }

  static restore(state: KeyStandingState): KeyStanding {
    return new KeyStanding(state);
  }

  get id(): string {
    return this.state.id;
  }
  get ownerId(): string {
    return this.state.ownerId;
  }
  /** What the secret is compared with. */
  get proof(): Pick<KeyStandingState, 'digest' | keyof KeyRestrictions> {
    return this.state;
  }

  /** If so, a grant must be committed as a use before the answer. */
  get awaitsUse(): boolean {
    return this.state.awaitsUse;
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
    return this.networks === undefined || this.networks.allow(clientAddress ?? null);
  }

  /** The verdict on a key whose secret is proven. Key and owner were read together, at `now`. */
  judge(question: Question, withinRateLimit: boolean, now: Date): Verdict {
    const { id, ownerId, owner, createdAt } = this.state;
    const access = lowerAccess(this.state.access, owner.limits.maxAccess);
    const expiresAt = this.state.endsAt ?? this.state.expiresAt;
    const status = this.status(now);
    if (status !== 'active') return deny(status);
    if (owner.status !== 'active') return deny(ownerRefusal(owner.status));
    const { operation, permission, clientAddress } = question;
    if (!this.isAllowedFrom(clientAddress)) return deny('address-not-allowed');
    if (!withinRateLimit) return deny('rate-limited');
    if (!isOpenToKeys(operation)) return deny('operation-not-allowed');
    if (!accessAllows(access, operation)) return deny('read-only-key', lacking(access, permission));
    const permissions = effectivePermissions(access, owner.permissions, this.state.permissions);
    if (!this.permits(question, permissions)) return deny('missing-permission', permission);
    const { attributes } = owner;
    return { granted: true, keyId: id, ownerId, access, permissions, attributes, createdAt, expiresAt };
  }

  /** Without a permission, a key with a subset needs one with the action of the operation. */
  private permits({ operation, permission }: Question, effective: readonly string[]): boolean {
    if (permission) return isCovered(permission, { has: (each) => effective.includes(each) });
    return this.state.permissions === null || effective.some((each) => actionOf(each) === operation);
  }
}

/** The permission, if no key with this access level can ever have it. */
function lacking(access: AccessLevel, permission: string): string | undefined {
  return effectivePermissions(access, [permission]).length === 0 ? permission : undefined;
}
