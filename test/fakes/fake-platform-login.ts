import { randomUUID } from 'node:crypto';
import type {
  BegunSignIn,
  PlatformPerson,
  Requester,
  SignInPrompt,
  PlatformToken,
  PlatformLogin,
  PlatformTokens,
} from '#application/sign-in-ports.js';
import type { FreshSignInRule, PlatformSignIn } from '#domain/accounts/session.js';
import { LatchkeyError } from '#domain/errors.js';
import { HOUR_MS } from '#domain/time.js';

export const ISSUER = 'https://login.example.com';

/** Each answer is valid once, and only for the sign-in for which it was made. */
export class FakePlatformLogin implements PlatformLogin {
  /** By answer and sign-in. */
  private readonly people = new Map<string, PlatformPerson>();
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
  answer(begun: BegunSignIn, person: Omit<PlatformPerson, 'issuer'> & Partial<PlatformPerson>): string {
    const answer = `?code=${randomUUID()}`;
    this.people.set(placeOf(answer, begun), { issuer: ISSUER, ...person });
    return answer;
  }

  async finish(answer: string, begun: BegunSignIn, _requester: Requester): Promise<PlatformPerson> {
    this.requireLogin();
    const person = this.people.get(placeOf(answer, begun));
    this.people.delete(placeOf(answer, begun));
    if (!person) throw new LatchkeyError('invalid_credentials', 'The sign-in at the platform failed');
    return person;
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

const placeOf = (answer: string, { state, nonce, codeVerifier }: BegunSignIn) =>
  [answer, state, nonce, codeVerifier].join();

/** Its tokens expire by the clock of this machine, as those of a real login do, and not by the store's clock. */
export class FakePlatformTokens implements PlatformTokens {
  private readonly issued = new Map<string, PlatformToken>();
  /** Whether the login is unavailable. */
  isAway = false;

  issue(
    accountId: string,
    expiresAt = new Date(Date.now() + HOUR_MS),
    { authenticatedAt, acr }: Partial<PlatformSignIn> = {},
  ): string {
    const jwt = randomUUID();
    this.issued.set(jwt, { accountId, issuer: ISSUER, expiresAt, signIn: { authenticatedAt, acr } });
    return jwt;
  }

  async verify(jwt: string) {
    if (this.isAway) throw new LatchkeyError('unavailable', 'The platform login is away');
    const token = this.issued.get(jwt);
    if (!token) return { refusal: 'the token is not one of ours' };
    return token.expiresAt.getTime() > Date.now() ? token : { refusal: 'the token has expired' };
  }
}
