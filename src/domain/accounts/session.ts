import { createHash } from 'node:crypto';
import { HOUR_MS } from '../time.js';
import { LatchkeyError } from '../errors.js';

export const SESSION_HOURS = 12;

/** When the session was opened, by the clock that set its end. */
export function openedAt(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() - SESSION_HOURS * HOUR_MS);
}

export const SIGN_IN_MINUTES = 10;

/** How long we remember that a sign-in came back: longer than it could be valid, even if clocks of instances differ. */
export const SPENT_SIGN_IN_KEPT_MS = HOUR_MS;

/** What we store of a session token. It can end the session and can't be used to sign in. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export interface PlatformSignIn {
  /** OpenID Connect's `auth_time`: when the person last proved who they are, not when a token was issued. */
  readonly authenticatedAt: Date | undefined;
  /** OpenID Connect's `acr`: how strong the proof was. */
  readonly acr: string | undefined;
}

/** Which sign-in at the platform confirms a change in place of a password. */
export interface FreshSignInRule {
  readonly maxAgeSeconds: number;
  /** Empty: every value is accepted. */
  readonly acrValues: readonly string[];
}

/** How far the platform's clock may be ahead of ours. */
const MAX_LEAD_SECONDS = 60;

/** Why a sign-in confirms nothing. Without a time it counts as too old. */
export type SignInProblem = 'too_old' | 'too_weak';

export function freshnessProblem(
  signIn: PlatformSignIn | undefined,
  rule: FreshSignInRule,
  now: Date,
): SignInProblem | undefined {
  if (!signIn?.authenticatedAt) return 'too_old';
  const ageSeconds = (now.getTime() - signIn.authenticatedAt.getTime()) / 1000;
  const isRecent = ageSeconds >= -MAX_LEAD_SECONDS && ageSeconds <= rule.maxAgeSeconds;
  const isStrong = rule.acrValues.length === 0 || (signIn.acr !== undefined && rule.acrValues.includes(signIn.acr));
  if (!isRecent) return 'too_old';
  return isStrong ? undefined : 'too_weak';
}

/** How a person signed in, according to a token of the platform (OpenID Connect Core, section 2). */
export function signInOf({ auth_time: authTime, acr }: Readonly<Record<string, unknown>>): PlatformSignIn {
  return { authenticatedAt: authenticatedAt(authTime), acr: typeof acr === 'string' ? acr : undefined };
}

/** Undefined for anything but seconds since 1970. */
function authenticatedAt(authTime: unknown): Date | undefined {
  if (typeof authTime !== 'number' || !(authTime >= 0)) return undefined;
  const at = new Date(authTime * 1000);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

export function confirmationRequired(rule: FreshSignInRule): LatchkeyError {
  const message = 'Sign in at the platform again to confirm that it is you';
  return new LatchkeyError('confirmation_required', message, { freshSignIn: rule });
}
