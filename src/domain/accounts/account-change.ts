import type { Attribute } from './account-attributes.js';
import type { AccountLimits } from './account-limits.js';

/** One change of an account. It is stored together with its event. */
export interface AccountChange extends Partial<ChangedEntitlements> {
  readonly became: 'created' | 'changed' | 'suspended' | 'reactivated' | 'deleted';
  /** The names of the changed fields only: the audit trail keeps neither emails nor names of people. */
  readonly changed?: readonly string[];
}

/** What the platform gives an account. The audit trail keeps its values. */
export interface Entitlements {
  readonly permissions: readonly string[];
  readonly limits: AccountLimits;
  readonly attributes: readonly Attribute[];
}

export const NO_ENTITLEMENTS: Entitlements = { permissions: [], limits: {}, attributes: [] };

export interface Change<T> {
  readonly before: T;
  readonly after: T;
}

/** Limits and attributes are left out if they have not changed. */
export type ChangedEntitlements = { readonly permissions: Change<readonly string[]> } & {
  readonly [Field in 'limits' | 'attributes']?: Change<Entitlements[Field]>;
};

interface Changeable extends Entitlements {
  readonly email: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly status: keyof typeof STATUS_CHANGE;
}

const STATUS_CHANGE = { active: 'reactivated', suspended: 'suspended', deleted: 'deleted' } as const;

/** @param before undefined for a new account */
export function accountChanges(before: Changeable | undefined, after: Changeable): AccountChange[] {
  const entitlements = changedEntitlements(before ?? NO_ENTITLEMENTS, after);
  if (!before) return [{ became: 'created', ...entitlements }];
  const changed = [
    ...(before.email === after.email ? [] : ['email']),
    ...(before.displayName === after.displayName ? [] : ['displayName']),
    ...(samePermissions(before.permissions, after.permissions) ? [] : ['permissions']),
    ...(entitlements.limits ? ['limits'] : []),
    ...(entitlements.attributes ? ['attributes'] : []),
    ...(before.passwordHash === after.passwordHash ? [] : ['password']),
  ];
  return [
    ...(changed.length > 0 ? [{ became: 'changed', changed, ...entitlements } as const] : []),
    ...(before.status === after.status ? [] : [{ became: STATUS_CHANGE[after.status] }]),
  ];
}

export function changedEntitlements(before: Entitlements, after: Entitlements): ChangedEntitlements {
  const change = <Field extends keyof Entitlements>(field: Field) => ({ before: before[field], after: after[field] });
  return {
    permissions: change('permissions'),
    ...(isSame(before.limits, after.limits) ? {} : { limits: change('limits') }),
    ...(isSame(before.attributes, after.attributes) ? {} : { attributes: change('attributes') }),
  };
}

/** Whether both are the same, whatever the order of the fields: PostgreSQL has its own. */
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
