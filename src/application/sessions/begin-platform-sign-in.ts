import { type FreshSignInRule, sessionDigest } from '../../domain/accounts/session.js';
import type { BegunSignIn, SignInPrompt } from '../sign-in-ports.js';
import type { PlatformLogin, Sessions } from '../ports.js';

export const SIGN_IN_PURPOSES = ['sign-in', 'confirmation'] as const;
export type SignInPurpose = (typeof SIGN_IN_PURPOSES)[number];

/** What the person's browser keeps until the platform sends them back. */
export interface SignInUnderWay extends BegunSignIn {
  readonly purpose: SignInPurpose;
  /** For a confirmation: the owner who requested it. */
  readonly ownerId?: string | undefined;
  /** The browser's previous session, which the new one replaces. */
  readonly sessionDigest?: string | undefined;
}

export class BeginPlatformSignIn {
  constructor(
    private readonly login: PlatformLogin,
    private readonly sessions: Sessions,
    private readonly rule: FreshSignInRule,
  ) {}

  /** @param token of the browser's session, if it has one */
  async execute(
    purpose: SignInPurpose,
    token: string | undefined,
    prompt?: SignInPrompt,
  ): Promise<{ url: string; underWay: SignInUnderWay }> {
    const isConfirmation = purpose === 'confirmation';
    const { url, begun } = await this.login.begin(isConfirmation ? this.rule : undefined, prompt);
    if (!token) return { url, underWay: { ...begun, purpose } };
    const session = isConfirmation ? await this.sessions.find(token) : undefined;
    return { url, underWay: { ...begun, purpose, ownerId: session?.account.id, sessionDigest: sessionDigest(token) } };
  }
}
