import { requireFields } from '../errors.js';
import { showsNothing } from '../names.js';
import { holdsKeyString, withoutSecrets } from '../secrets.js';
import { type Attribute, attributesProblem, type AccountLimits, limitProblems } from './entitlements.js';
import { isNewPermission, isPermission, newPermissionProblem } from './permission.js';

export const ACCOUNT_KINDS = ['person', 'service'] as const;
/** A service account has keys that do not depend on one person. It can't sign in: its managers work with its keys. */
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

const MAX_MANAGERS = 20;

/** Why an account of this kind can't name these managers. Whether they exist is checked where they are stored. */
export function managersProblem(kind: AccountKind, managers: readonly string[]): string | undefined {
  if (kind === 'person') return managers.length > 0 ? 'must be left out: a person has no managers' : undefined;
  return managers.length >= 1 && managers.length <= MAX_MANAGERS
    ? undefined
    : `must be 1 to ${MAX_MANAGERS}: a service account needs a person who manages its keys`;
}

export const MAX_EMAIL_LENGTH = 254;
export const MAX_PERMISSIONS = 1000;

/** An account as the platform describes it. The platform counts `version`; without it the stored version stays. */
export interface AccountProfile {
  readonly email: string;
  readonly displayName: string;
  readonly permissions: readonly string[];
  /** Absent limits or attributes leave the stored ones as they are. */
  readonly limits?: AccountLimits | undefined;
  readonly attributes?: readonly Attribute[] | undefined;
  /** A new account is a person unless it says otherwise. A stored account keeps its kind. */
  readonly kind?: AccountKind | undefined;
  /** Account ids. Absent: the stored ones stay. */
  readonly managers?: readonly string[] | undefined;
  readonly version?: bigint | undefined;
}

export function emailKey(email: string): string {
  return email.toLowerCase();
}

export function accountIdProblem(id: string): string | undefined {
  return /^[A-Za-z0-9._:@|-]{1,128}$/.test(id) ? undefined : 'must be 1 to 128 characters of [A-Za-z0-9._:@|-]';
}

/** The audit trail names service identities and people at the command line like this. */
export function isLikeAnotherActor(id: string): boolean {
  return /^(?:service|admin):/.test(id);
}

/** Accounts that are older than this rule may have such an id. */
export function newIdProblem(id: string): string | undefined {
  if (isLikeAnotherActor(id)) return 'of a new account must not begin with service: or admin:';
  return keyProblem(id);
}

/** Callers take a key for what names its owner. Accounts are shown, logged and stored as they are. */
function keyProblem(...texts: readonly string[]): string | undefined {
  return texts.some(holdsKeyString) ? 'must not contain an API key' : undefined;
}

/** What the login says, so that it can be stored as the name of an account. */
export function shownName(name: string, id: string): string {
  const short = [...name.replace(/\p{Cc}/gu, ' ')].slice(0, 200).join('');
  return displayNameProblem(short) || short === '' ? id : short;
}

export function emailProblem(email: string): string | undefined {
  const isEmail = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= MAX_EMAIL_LENGTH;
  return isEmail ? keyProblem(email) : 'must be an email address';
}

function displayNameProblem(name: string): string | undefined {
  if (!/^[^\p{Cc}]{0,200}$/u.test(name)) return 'must be at most 200 characters without control characters';
  return name !== '' && showsNothing(name) ? 'must be empty or show something' : keyProblem(name);
}

/** Throws one error that names every invalid field. @param stored undefined for a new account */
export function requireProfile(id: string, profile: AccountProfile, stored: AccountKind | undefined): void {
  const kind = profile.kind ?? stored ?? 'person';
  const { email, displayName, permissions, limits = {}, attributes = [] } = profile;
  const managers = profile.managers ?? (kind === 'service' && !stored ? [] : undefined);
  const wrong = permissions.find((permission) => !isPermission(permission));
  requireFields({
    id: accountIdProblem(id) ?? (stored ? undefined : newIdProblem(id)),
    email: kind === 'service' && email === '' ? undefined : emailProblem(email),
    displayName: displayNameProblem(displayName),
    permissions:
      permissions.length > MAX_PERMISSIONS
        ? `must be at most ${MAX_PERMISSIONS}`
        : wrong === undefined
          ? keyProblem(...permissions)
          : `must each have the form resource:action without wildcards, unlike ${quoted(wrong)}`,
    ...limitProblems(limits),
    attributes: attributesProblem(attributes),
    managers: managers && managersProblem(kind, managers),
  });
}

/** Permissions that are stored already may be older than this grammar. */
export function requireNewPermissions(permissions: readonly string[]): void {
  const wrong = permissions.find((permission) => !isNewPermission(permission));
  requireFields({
    permissions: wrong && `${newPermissionProblem(wrong)!.replace('must', 'must each')}, unlike ${quoted(wrong)}`,
  });
}

function quoted(permission: string): string {
  return JSON.stringify(withoutSecrets(permission).slice(0, 64));
}
