import { type Account, ownerDenial } from '#domain/accounts/account.js';
import {
  freshnessProblem,
  type FreshSignInRule,
  openedAt,
  sessionDigest,
  type SignInProblem,
} from '#domain/accounts/session.js';
import { NetworkBudget } from '#domain/accounts/passwords.js';
import { type Client, type FailedAuthentication, failureOf, type FailureReason } from '#domain/audit/audit-event.js';
import { clientNetwork } from '#domain/ip-address.js';
import { LatchkeyError } from '#domain/errors.js';
import type { PlatformLogin, PlatformPerson, Requester, BegunSignIn, SignInPrompt } from '../sign-in-ports.js';
import type { Ports } from '../ports.js';
import { isRefused, sessionOpened } from './sign-in.js';

/** Why a person can't sign in here. `expired`: no sign-in is pending in their browser any more. */
export type SignInRefusal = 'no_account' | 'service_account' | 'suspended' | 'deleted' | 'expired';

export type FinishedSignIn =
  | { readonly refusal: SignInRefusal }
  | {
      readonly refusal?: undefined;
      readonly token: string;
      readonly expiresAt: Date;
      /** For a confirmation: whether it is the owner who requested it. */
      readonly isExpected: boolean;
      /** Of a confirmation: why the sign-in does not confirm anything. */
      readonly problem?: SignInProblem | undefined;
    };

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

const REFUSALS = {
  'invalid-token': 'no_account',
  'owner-suspended': 'suspended',
  'owner-deleted': 'deleted',
} as const satisfies Partial<Record<FailureReason, SignInRefusal>>;

interface PlatformSignInParts extends Pick<Ports, 'spentSignIns' | 'sessions' | 'audit' | 'refusals'> {
  /** What a confirmation needs. */
  readonly rule: FreshSignInRule;
  readonly login: PlatformLogin;
  /** Undefined: the person has no account, and gets none. */
  readonly signInAccounts: { of(person: PlatformPerson, client: Client): Promise<Account | undefined> };
}

/** Sends a person to sign in at the platform, and opens a new session when they come back. */
export class SignInAtPlatform {
  private readonly budget = new NetworkBudget();

  constructor(
    private readonly parts: PlatformSignInParts,
    private readonly nowMs: () => number = () => Math.floor(performance.now()),
  ) {}

  /** @param token of the browser's session, if it has one */
  async begin(
    purpose: SignInPurpose,
    token: string | undefined,
    prompt?: SignInPrompt,
  ): Promise<{ url: string; underWay: SignInUnderWay }> {
    const isConfirmation = purpose === 'confirmation';
    const { url, begun } = await this.parts.login.begin(isConfirmation ? this.parts.rule : undefined, prompt);
    if (!token) return { url, underWay: { ...begun, purpose } };
    const session = isConfirmation ? await this.parts.sessions.find(token) : undefined;
    return { url, underWay: { ...begun, purpose, ownerId: session?.account.id, sessionDigest: sessionDigest(token) } };
  }

  /**
   * Throws `invalid_credentials` when the platform did not sign anybody in, `unavailable` when it does not answer, and
   * `too_many_attempts` or `busy` when it is not even called.
   * @param answer the query with which the platform sent the person back
   * @param underWay what their browser kept; undefined when it kept nothing valid
   */
  async finish(answer: string, underWay: SignInUnderWay | undefined, client: Client): Promise<FinishedSignIn> {
    const person = underWay && (await this.whoCameBack(answer, underWay, client));
    if (!person) {
      const why = 'no sign-in at the platform is pending, or it came back before';
      await this.record(failureOf('invalid-token', client), why);
      return { refusal: 'expired' };
    }
    const { accountId, signIn } = person;
    const account = await this.parts.signInAccounts.of(person, client);
    if (account && (await isRefused(this.parts.audit, account, client))) return { refusal: 'service_account' };
    const event = account && sessionOpened(account.id, client);
    const session = event && (await this.parts.sessions.begin({ accountId: account.id, signIn, event }));
    if (!session) {
      // The account was read as active and suspended right after that.
      const reason = account ? ownerDenial(account.status) : 'invalid-token';
      const why = account ? undefined : `no account has the id ${accountId ?? '(none)'}`;
      await this.record(failureOf(reason, client, account?.id), why);
      return { refusal: REFUSALS[reason] };
    }
    if (underWay.sessionDigest) await this.parts.sessions.endByDigest(underWay.sessionDigest);
    const isConfirmation = underWay.purpose === 'confirmation';
    const problem = isConfirmation ? freshnessProblem(signIn, this.parts.rule, openedAt(session.expiresAt)) : undefined;
    return { ...session, isExpected: underWay.ownerId === undefined || underWay.ownerId === accountId, problem };
  }

  /** Calls the platform once for each sign-in. Undefined when this sign-in came back before. */
  private async whoCameBack(
    answer: string,
    underWay: SignInUnderWay,
    client: Client,
  ): Promise<PlatformPerson | undefined> {
    const { login, spentSignIns } = this.parts;
    const requester = requesterOf(underWay, client);
    try {
      this.budget.spend(requester.name, this.nowMs());
      login.requireRoom(requester);
      if (!(await spentSignIns.spend(underWay.state, requester))) return undefined;
      const person = await login.finish(answer, underWay, requester);
      this.budget.giveBack(requester.name);
      return person;
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      if (error.code === 'busy') this.budget.giveBack(requester.name);
      if (error.code === 'too_many_attempts') await this.record(failureOf('too-many-attempts', client), why);
      if (error.code === 'invalid_credentials') await this.record(failureOf('invalid-token', client), why);
      throw error;
    }
  }

  private async record(failure: FailedAuthentication, why: string | undefined): Promise<void> {
    await this.parts.audit.recordFailure(failure);
    this.parts.refusals.note(failure, { why });
  }
}

/** An owner who confirms has a budget of their own, which strangers in the same network can't spend. */
function requesterOf({ ownerId }: SignInUnderWay, client: Client): Requester {
  return ownerId === undefined
    ? { name: clientNetwork(client.ip), isKnown: false }
    : { name: `confirmation:${ownerId}`, isKnown: true };
}
