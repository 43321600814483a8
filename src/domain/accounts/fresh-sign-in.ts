import { LatchkeyError } from '../errors.js';

/** How a person signed in at the platform, as the platform reports it. */
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

export function isFresh(signIn: PlatformSignIn | undefined, rule: FreshSignInRule, now: Date): boolean {
  return freshnessProblem(signIn, rule, now) === undefined;
}

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

/** Reads `auth_time` of a token: seconds since 1970. Undefined for anything else. */
export function authenticatedAt(authTime: unknown): Date | undefined {
  if (typeof authTime !== 'number' || !(authTime >= 0)) return undefined;
  const at = new Date(authTime * 1000);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

export function confirmationRequired(rule: FreshSignInRule): LatchkeyError {
  const message = 'Sign in at the platform again to confirm that it is you';
  return new LatchkeyError('confirmation_required', message, { freshSignIn: rule });
}
