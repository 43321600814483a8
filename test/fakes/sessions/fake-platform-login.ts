import { randomUUID } from 'node:crypto';
import type { BegunSignIn, PlatformPerson, Requester, SignInPrompt } from '#application/sign-in-ports.js';
import type { PlatformLogin } from '#application/ports.js';
import type { FreshSignInRule } from '#domain/accounts/session.js';
import { LatchkeyError } from '#domain/errors.js';

const ISSUER = 'https://login.example.com';

/** Each answer is valid once, and only for the sign-in for which it was made. */
export class FakePlatformLogin implements PlatformLogin {
  private readonly answers = new Map<string, { readonly begun: BegunSignIn; readonly person: PlatformPerson }>();
  /** The rule that the last sign-in had to meet. */
  requested: FreshSignInRule | undefined;
  /** The prompt of the last sign-in. */
  prompt: SignInPrompt | undefined;
  /** Whether the login is unavailable. */
  isAway = false;
  /** Whether too many sign-ins are waiting for it. */
  isFull = false;

  async begin(stepUp: FreshSignInRule | undefined, prompt?: SignInPrompt) {
    this.prompt = prompt;
    this.requireLogin();
    this.requested = stepUp;
    const begun = { state: randomUUID(), nonce: randomUUID(), codeVerifier: randomUUID() };
    return { url: `https://login.example.org/?state=${begun.state}`, begun };
  }

  /** The query with which the login sends a person back. */
  answer(
    { state, nonce, codeVerifier }: BegunSignIn,
    person: Omit<PlatformPerson, 'issuer'> & Partial<PlatformPerson>,
  ): string {
    const answer = `?code=${randomUUID()}`;
    this.answers.set(answer, { begun: { state, nonce, codeVerifier }, person: { issuer: ISSUER, ...person } });
    return answer;
  }

  async finish(answer: string, begun: BegunSignIn, _requester: Requester): Promise<PlatformPerson> {
    this.requireLogin();
    const known = this.answers.get(answer);
    this.answers.delete(answer);
    const isForThis = (['state', 'nonce', 'codeVerifier'] as const).every((part) => known?.begun[part] === begun[part]);
    if (!known || !isForThis) throw new LatchkeyError('invalid_credentials', 'The sign-in at the platform failed');
    return known.person;
  }

  async signOutUrl(): Promise<string | undefined> {
    return this.isAway ? undefined : 'https://login.example.org/logout';
  }

  requireRoom(_requester: Requester): void {
    if (this.isFull) throw new LatchkeyError('busy', 'Too many sign-ins are waiting');
  }

  private requireLogin(): void {
    if (this.isAway) throw new LatchkeyError('unavailable', 'The platform login is away');
  }
}
