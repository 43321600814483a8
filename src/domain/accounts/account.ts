import {
  accountChanges,
  type AccountChange,
  type AccountOrigin,
  type AccountTerms,
  leasesEnd,
  NO_TERMS,
} from './account-change.js';
import {
  type Entitlements,
  type Attribute,
  attributesProblem,
  type AccountLimits,
  givenLimits,
  limitProblems,
} from './entitlements.js';
import { type AccountKind, type AccountProfile, requireNewPermissions } from './account-profile.js';
import { LatchkeyError, requireFields } from '../errors.js';
import { normalizeName } from '../names.js';

export const ACCOUNT_STATUSES = ['active', 'suspended', 'deleted'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** What a validation needs to know about a key's owner. */
export interface OwnerStanding extends Entitlements {
  readonly status: AccountStatus;
}

interface AccountState extends OwnerStanding, AccountTerms {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly version: bigint;
  /** The last reactivation. Null for an account that was never reactivated. */
  readonly activeSince: Date | null;
  /** Of an account that the login keeps: its issuer, and when the newest ID token was issued. Null otherwise. */
  readonly signInIssuer: string | null;
  readonly signedInAt: Date | null;
}

export interface SignInProfile {
  readonly issuer: string;
  readonly issuedAt: Date;
  /** Empty: none that is verified. */
  readonly email: string;
  readonly displayName: string;
  readonly permissions: readonly string[];
}

export class Account implements OwnerStanding {
  /** @param before the stored account; undefined for a new one */
  private constructor(
    private state: AccountState,
    private readonly before: AccountState | undefined,
  ) {}

  static open(id: string, profile: AccountProfile): Account {
    const { email, displayName } = profile;
    const state = {
      id,
      email,
      displayName,
      ...NO_TERMS,
      kind: profile.kind ?? 'person',
      passwordHash: null,
      status: 'active',
      version: 0n,
      activeSince: null,
      signInIssuer: null,
      signedInAt: null,
    } as const;
    const account = new Account(state, undefined);
    account.update(profile);
    return account;
  }

  /** An account that the login keeps: see `updateFromSignIn`. */
  static openBySignIn(id: string, profile: SignInProfile): Account {
    const { issuer: signInIssuer, email, displayName } = profile;
    const opened = Account.open(id, { email, displayName, permissions: [] });
    const account = new Account({ ...opened.state, origin: 'sign-in', signInIssuer }, undefined);
    account.updateFromSignIn(profile);
    return account;
  }

  static restore(state: AccountState): Account {
    return new Account(state, state);
  }

  get id(): string {
    return this.state.id;
  }
  get email(): string {
    return this.state.email;
  }
  get displayName(): string {
    return this.state.displayName;
  }
  get permissions(): readonly string[] {
    return this.state.permissions;
  }
  get limits(): AccountLimits {
    return this.state.limits;
  }
  get attributes(): readonly Attribute[] {
    return this.state.attributes;
  }
  get kind(): AccountKind {
    return this.state.kind;
  }
  get managers(): readonly string[] {
    return this.state.managers;
  }
  get passwordHash(): string | null {
    return this.state.passwordHash;
  }
  get status(): AccountStatus {
    return this.state.status;
  }
  get version(): bigint {
    return this.state.version;
  }
  get origin(): AccountOrigin {
    return this.state.origin;
  }
  get isActive(): boolean {
    return this.state.status === 'active';
  }

  snapshot(): AccountState {
    return this.state;
  }

  /** The changes since the account was stored. A change that is sent a second time does not count. */
  get changes(): readonly AccountChange[] {
    return accountChanges(this.before, this.state);
  }

  /** Whether leases on its keys from before must not be used any more. */
  get endsLeases(): boolean {
    return this.before !== undefined && leasesEnd(this.before, this.state);
  }

  /** Throws `kind_is_fixed`, and `invalid_fields` for a new permission that does not follow the grammar of new ones. */
  update({ email, displayName, permissions, version, ...profile }: AccountProfile): void {
    const { kind } = this.state;
    if (profile.kind !== undefined && profile.kind !== kind) {
      const is = kind === 'person' ? 'a person' : 'a service account';
      const message = `the account is ${is}: its kind can't change until the account is purged`;
      throw new LatchkeyError('kind_is_fixed', message);
    }
    requireNewPermissions(permissions.filter((each) => !this.state.permissions.includes(each)));
    const { limits = this.state.limits, attributes = this.state.attributes } = profile;
    const managers = profile.managers ? [...new Set(profile.managers)].sort() : this.state.managers;
    const entitlements = { permissions: [...new Set(permissions)], limits: givenLimits(limits), attributes };
    const named = { email, displayName: normalizeName(displayName) };
    // From here on it is the platform's.
    const kept = { origin: 'platform', signInIssuer: null, signedInAt: null } as const;
    this.change({ ...named, ...entitlements, ...kept, managers }, version);
  }

  /**
   * Replaces email, name and permissions by what the login says now. An account of the platform, and one of another issuer,
   * stays as it is, and so does every account for an ID token that is older than the last one.
   */
  updateFromSignIn({ issuer, issuedAt, email, displayName, permissions }: SignInProfile): void {
    const { origin, signInIssuer, signedInAt } = this.state;
    if (origin !== 'sign-in' || signInIssuer !== issuer || (signedInAt && issuedAt < signedInAt)) return;
    const said = { email, displayName: normalizeName(displayName), permissions: [...new Set(permissions)] };
    this.change({ ...said, signedInAt: issuedAt });
  }

  /** The platform gives the email of an account that the login keeps to another account. */
  loseEmail(): void {
    this.change({ email: '' });
  }

  /** For a person who was purged. No manager may be left: the keys stay valid. */
  removeManager(id: string): void {
    this.change({ managers: this.state.managers.filter((manager) => manager !== id) });
  }

  /** Whether this person works with the keys of this account: with their own, or with those of a service account. */
  isManagedBy(person: Account): boolean {
    if (!person.isActive || person.kind !== 'person') return false;
    return person.id === this.id || this.state.managers.includes(person.id);
  }

  /** Another login gives the same id to another person. */
  isOfOtherLogin(issuer: string): boolean {
    return this.state.origin === 'sign-in' && this.state.signInIssuer !== issuer;
  }

  /** Whether the account has exactly this permission. One that covers it does not count. */
  has(permission: string): boolean {
    return this.state.permissions.includes(permission);
  }

  changePassword(passwordHash: string): void {
    this.change({ passwordHash });
  }

  /** Replaces all limits. Throws `invalid_fields`. @param version counted by the platform, as for every change below */
  limitKeys(limits: AccountLimits, version?: bigint): void {
    requireFields(limitProblems(limits));
    this.change({ limits: givenLimits(limits) }, version);
  }

  /** Replaces all attributes. Throws `invalid_fields`. */
  describe(attributes: readonly Attribute[], version?: bigint): void {
    requireFields({ attributes: attributesProblem(attributes) });
    this.change({ attributes }, version);
  }

  suspend(version?: bigint): void {
    const newest = newestVersion(this.state.version, version);
    if (this.state.status === 'deleted') {
      throw new LatchkeyError('account_deleted', 'the account is deleted: reactivate it before suspending it');
    }
    this.change({ status: 'suspended' }, newest);
  }

  reactivate(now: Date, version?: bigint): void {
    this.change({ status: 'active', activeSince: this.isActive ? this.state.activeSince : now }, version);
  }

  delete(version?: bigint): void {
    this.change({ status: 'deleted' }, version);
  }

  private change(changed: Partial<AccountState>, version?: bigint): void {
    this.state = { ...this.state, ...changed, version: newestVersion(this.state.version, version) };
  }
}

/** The version to store. Changes may arrive out of order: the same version may be sent again, an older one may not. */
export function newestVersion(stored: bigint, sent = stored): bigint {
  if (sent >= stored) return sent;
  throw new LatchkeyError(
    'stale_version',
    `version ${sent} is older than the stored version ${stored}: read the account and send its newest state`,
  );
}

/** Why the keys of an owner who is not active are denied. A status that this release does not know counts as suspended. */
export function ownerDenial(status: AccountStatus): 'owner-suspended' | 'owner-deleted' {
  return status === 'deleted' ? 'owner-deleted' : 'owner-suspended';
}
