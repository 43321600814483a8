/** One change of an account. It is stored together with its event. */
export interface AccountChange {
  readonly became: 'created' | 'changed' | 'suspended' | 'reactivated' | 'deleted';
  /** The names of the changed fields only: the audit trail keeps neither emails nor names of people. */
  readonly changed?: readonly string[];
  readonly permissions?: PermissionChange;
}

export interface PermissionChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface Changeable {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: readonly string[];
  readonly passwordHash: string | null;
  readonly status: keyof typeof STATUS_CHANGE;
}

const STATUS_CHANGE = { active: 'reactivated', suspended: 'suspended', deleted: 'deleted' } as const;

/** @param before undefined for a new account */
export function accountChanges(before: Changeable | undefined, after: Changeable): AccountChange[] {
  const permissions = { before: before?.permissions ?? [], after: after.permissions };
  if (!before) return [{ became: 'created', permissions }];
  const changed = [
    ...(before.email === after.email ? [] : ['email']),
    ...(before.displayName === after.displayName ? [] : ['displayName']),
    ...(samePermissions(before.permissions, after.permissions) ? [] : ['permissions']),
    ...(before.passwordHash === after.passwordHash ? [] : ['password']),
  ];
  return [
    ...(changed.length > 0 ? [{ became: 'changed', changed, permissions } as const] : []),
    ...(before.status === after.status ? [] : [{ became: STATUS_CHANGE[after.status] }]),
  ];
}

export function samePermissions(one: readonly string[], other: readonly string[]): boolean {
  const [ours, theirs] = [new Set(one), new Set(other)];
  return ours.size === theirs.size && [...ours].every((permission) => theirs.has(permission));
}
