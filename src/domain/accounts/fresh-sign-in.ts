import { LatchkeyError } from '../errors.js';

/** How a person signed in at the platform, as far as the platform says. */
export interface PlatformSignIn {
  /** OpenID Connect's `auth_time`: when they last proved who they are. Never when a token was issued. */
  readonly authenticatedAt: Date | undefined;
  /** OpenID Connect's `acr`: how strong the proof was. */
  readonly acr: string | undefined;
}

/** Which sign-in at the platform confirms a change as the password would. */
export interface FreshSignInRule {
  readonly maxAgeSeconds: number;
  /** Empty: any. */
  readonly acrValues: readonly string[];
}

/** The platform's clock may be ahead of ours by so much. */
const MAX_LEAD_SECONDS = 60;

export function isFresh(signIn: PlatformSignIn | undefined, rule: FreshSignInRule, now: Date): boolean {
  if (!signIn?.authenticatedAt) return false;
  const ageSeconds = (now.getTime() - signIn.authenticatedAt.getTime()) / 1000;
  const isRecent = ageSeconds >= -MAX_LEAD_SECONDS && ageSeconds <= rule.maxAgeSeconds;
  const isStrong = rule.acrValues.length === 0 || (signIn.acr !== undefined && rule.acrValues.includes(signIn.acr));
  return isRecent && isStrong;
}

/** `auth_time` as a token has it: seconds since 1970. Undefined for anything else. */
export function authenticatedAt(authTime: unknown): Date | undefined {
  if (typeof authTime !== 'number' || !(authTime >= 0)) return undefined;
  const at = new Date(authTime * 1000);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

export function confirmationRequired(rule: FreshSignInRule): LatchkeyError {
  const message = 'Sign in at the platform again to confirm that it is you';
  return new LatchkeyError('confirmation_required', message, { freshSignIn: rule });
}
