export const ACCOUNT_KINDS = ['person', 'service'] as const;
/** A service account has keys that do not depend on one person. It can't sign in: its managers work with its keys. */
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

export const MAX_MANAGERS = 20;

/** Why an account of this kind can't name these managers. Whether they exist is checked where they are stored. */
export function managersProblem(kind: AccountKind, managers: readonly string[]): string | undefined {
  if (kind === 'person') return managers.length > 0 ? 'must be left out: a person has no managers' : undefined;
  return managers.length >= 1 && managers.length <= MAX_MANAGERS
    ? undefined
    : `must be 1 to ${MAX_MANAGERS}: a service account needs a person who manages its keys`;
}
