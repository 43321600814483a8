import type { AccountKind } from './account-profile.js';
import { type Entitlements, NO_ENTITLEMENTS } from './entitlements.js';

export interface AccountChange extends Partial<ChangedTerms> {
  readonly became: 'created' | 'changed' | 'suspended' | 'reactivated' | 'deleted';
  /** The names of the changed fields only: the audit trail keeps neither emails nor names of people. */
  readonly changed?: readonly string[];
}

/** Who keeps the account: the platform, or the login, with each sign-in of the person. */
export type AccountOrigin = 'platform' | 'sign-in';

/** Everything of an account whose values are on the audit trail. */
export interface AccountTerms extends Entitlements {
  readonly origin: AccountOrigin;
  readonly kind: AccountKind;
  /** The ids of the persons who work with the keys of a service account. Sorted. */
  readonly managers: readonly string[];
}

export const NO_TERMS: AccountTerms = { ...NO_ENTITLEMENTS, origin: 'platform', kind: 'person', managers: [] };

/** Those that most events leave out, because they have not changed. */
export const RARE_TERMS = ['limits', 'attributes', 'kind', 'managers', 'origin'] as const;

export interface Change<T> {
  readonly before: T;
  readonly after: T;
}

/** Each is left out if it has not changed, except the permissions. */
export type ChangedTerms = { readonly permissions: Change<readonly string[]> } & {
  readonly [Field in (typeof RARE_TERMS)[number]]?: Change<AccountTerms[Field]>;
};

interface Changeable extends AccountTerms {
  readonly email: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly status: keyof typeof STATUS_CHANGE;
}

const STATUS_CHANGE = { active: 'reactivated', suspended: 'suspended', deleted: 'deleted' } as const;

/** @param before undefined for a new account */
export function accountChanges(before: Changeable | undefined, after: Changeable): AccountChange[] {
  const terms = changedTerms(before ?? NO_TERMS, after);
  if (!before) return [{ became: 'created', ...terms }];
  const changed = [
    ...(before.email === after.email ? [] : ['email']),
    ...(before.displayName === after.displayName ? [] : ['displayName']),
    ...(samePermissions(before.permissions, after.permissions) ? [] : ['permissions']),
    ...RARE_TERMS.filter((field) => terms[field]),
    ...(before.passwordHash === after.passwordHash ? [] : ['password']),
  ];
  return [
    ...(changed.length > 0 ? [{ became: 'changed', changed, ...terms } as const] : []),
    ...(before.status === after.status ? [] : [{ became: STATUS_CHANGE[after.status] }]),
  ];
}

/** Whether leases on the account's keys from before must not be used any more: they carry what the keys may do. */
export function leasesEnd(before: Changeable, after: Changeable): boolean {
  if (before.status !== after.status && after.status !== 'active') return true;
  const hasSameLimits = isSame(before.limits, after.limits);
  const hasSameAttributes = isSame(before.attributes, after.attributes);
  const kept = new Set(after.permissions);
  return !hasSameLimits || !hasSameAttributes || before.permissions.some((permission) => !kept.has(permission));
}

export function changedTerms(before: AccountTerms, after: AccountTerms): ChangedTerms {
  const change = <Field extends keyof AccountTerms>(field: Field) => ({ before: before[field], after: after[field] });
  const changed = RARE_TERMS.filter((field) => !isSame(before[field], after[field]));
  return {
    permissions: change('permissions'),
    ...(Object.fromEntries(changed.map((field) => [field, change(field)])) as Partial<ChangedTerms>),
  };
}

/** Whether both are the same. The order of the fields does not count, because PostgreSQL has its own. */
export function isSame(one: unknown, other: unknown): boolean {
  return inOrder(one) === inOrder(other);
}

function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

export function samePermissions(one: readonly string[], other: readonly string[]): boolean {
  const [ours, theirs] = [new Set(one), new Set(other)];
  return ours.size === theirs.size && [...ours].every((permission) => theirs.has(permission));
}
