export const ACCESS_LEVELS = ['read-only', 'read-and-write'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

export const OPERATIONS = ['read', 'write', 'destroy', 'manage-api-keys', 'manage-account', 'impersonate'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The actions of an owner's permissions that an access level lets through, named like the operations they allow. */
const LETS_THROUGH: Readonly<Record<AccessLevel, readonly string[]>> = {
  'read-only': ['read'],
  'read-and-write': ['read', 'write'],
};

/** Permanent deletion, key and account management and impersonation are for people, never for keys. */
export function isOpenToKeys(operation: Operation): boolean {
  return operation === 'read' || operation === 'write';
}

export function accessAllows(access: AccessLevel, operation: Operation): boolean {
  return LETS_THROUGH[access].includes(operation);
}

/** Of the owner's permissions, those whose action the access level lets through. Any other action is never granted. */
export function effectivePermissions(access: AccessLevel, ownerPermissions: readonly string[]): string[] {
  const actions = LETS_THROUGH[access];
  return ownerPermissions.filter((permission) => {
    const colon = permission.indexOf(':');
    return colon > 0 && actions.includes(permission.slice(colon + 1));
  });
}

export function accessProblem(value: unknown): string | undefined {
  return ACCESS_LEVELS.some((level) => level === value) ? undefined : `must be one of ${ACCESS_LEVELS.join(', ')}`;
}
