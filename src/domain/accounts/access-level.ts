/** The lowest first. */
export const ACCESS_LEVELS = ['read-only', 'read-and-write'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

export function lowerAccess(access: AccessLevel, ceiling: AccessLevel = access): AccessLevel {
  return access === 'read-only' ? access : ceiling;
}

export function accessProblem(value: unknown): string | undefined {
  return ACCESS_LEVELS.some((level) => level === value) ? undefined : `must be one of ${ACCESS_LEVELS.join(', ')}`;
}
