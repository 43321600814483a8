export const ACCESS_LEVELS = ['read-only', 'read-and-write'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

export const OPERATIONS = ['read', 'write', 'destroy', 'manage-api-keys', 'manage-account', 'impersonate'] as const;
export type Operation = (typeof OPERATIONS)[number];

const ALLOWED_ACTIONS: Readonly<Record<AccessLevel, readonly string[]>> = {
  'read-only': ['read'],
  'read-and-write': ['read', 'write'],
};

/** Keys can never delete permanently, manage keys or accounts, or impersonate: those operations are only for people. */
export function isOpenToKeys(operation: Operation): boolean {
  return operation === 'read' || operation === 'write';
}

export function accessAllows(access: AccessLevel, operation: Operation): boolean {
  return ALLOWED_ACTIONS[access].includes(operation);
}

/** The owner's permissions whose action the access level allows. Permissions with an unknown action are left out. */
export function effectivePermissions(access: AccessLevel, ownerPermissions: readonly string[]): string[] {
  const actions = ALLOWED_ACTIONS[access];
  return ownerPermissions.filter((permission) => {
    const colon = permission.indexOf(':');
    return colon > 0 && actions.includes(permission.slice(colon + 1));
  });
}

export function accessProblem(value: unknown): string | undefined {
  return ACCESS_LEVELS.some((level) => level === value) ? undefined : `must be one of ${ACCESS_LEVELS.join(', ')}`;
}
