import { ownerRefusal, type OwnerStanding } from '../accounts/account.js';
import { accessAllows, effectivePermissions, isOpenToKeys, type AccessLevel } from './access.js';
import { type ApiKeyStatus, dueEnd, type KeyTimes, statusAt } from './key-status.js';
import { deny, type Question, type Verdict } from './verdict.js';

interface KeyStandingState extends KeyTimes {
  readonly id: string;
  readonly ownerId: string;
  readonly access: AccessLevel;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
  readonly createdAt: Date;
  /** Whether the key is a successor that has not been used yet. */
  readonly awaitsFirstUse: boolean;
  readonly owner: OwnerStanding;
}

/** A key and its owner, from one database read. It is immutable, so that concurrent validations can share it. */
export class KeyStanding {
  private constructor(private readonly state: KeyStandingState) {}

  static restore(state: KeyStandingState): KeyStanding {
    return new KeyStanding(state);
  }

  get id(): string {
    return this.state.id;
  }
  get ownerId(): string {
    return this.state.ownerId;
  }
  get digest(): Buffer {
    return this.state.digest;
  }

  /** If so, a grant must be committed as the first use before the answer. */
  get awaitsFirstUse(): boolean {
    return this.state.awaitsFirstUse;
  }

  status(now: Date): ApiKeyStatus {
    return statusAt(now, this.state);
  }

  /** A due end must be recorded before the answer. */
  isEndDue(now: Date): boolean {
    return dueEnd(now, this.state) !== undefined;
  }

  ownedBy({ status, permissions }: OwnerStanding): KeyStanding {
    return new KeyStanding({ ...this.state, owner: { status, permissions } });
  }

  /** The verdict on a key whose secret is proven. Key and owner were read together, at `now`. */
  judge(question: Question, withinRateLimit: boolean, now: Date): Verdict {
    const { id, ownerId, access, owner, createdAt } = this.state;
    const expiresAt = this.state.endsAt ?? this.state.expiresAt;
    const status = this.status(now);
    if (status !== 'active') return deny(status);
    if (owner.status !== 'active') return deny(ownerRefusal(owner.status));
    if (!withinRateLimit) return deny('rate-limited');
    const { operation, permission } = question;
    if (!isOpenToKeys(operation)) return deny('operation-not-allowed');
    if (!accessAllows(access, operation)) return deny('read-only-key', lacking(access, permission));
    const permissions = effectivePermissions(access, owner.permissions);
    if (permission && !permissions.includes(permission)) return deny('missing-permission', permission);
    return { granted: true, keyId: id, ownerId, access, permissions, createdAt, expiresAt };
  }
}

/** The permission, if no key with this access level can ever have it. */
function lacking(access: AccessLevel, permission: string): string | undefined {
  return effectivePermissions(access, [permission]).length === 0 ? permission : undefined;
}
