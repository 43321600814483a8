import { ownerRefusal } from '../../domain/accounts/account.js';
import type { Client, FailureReason } from '../../domain/audit/audit-event.js';
import type { Accounts, Audit, PlatformLogin, Refusals, Sessions } from '../ports.js';
import { sessionOpened } from './sign-in.js';
import type { SignInUnderWay } from './begin-platform-sign-in.js';

/** Why a person whom the platform knows can't sign in here. */
export type SignInRefusal = 'no_account' | 'suspended' | 'deleted';

export type FinishedSignIn =
  | { readonly refusal: SignInRefusal }
  | {
      readonly refusal?: undefined;
      readonly token: string;
      readonly expiresAt: Date;
      /** For a confirmation: whether it is the owner who requested it. */
      readonly isExpected: boolean;
    };

const REFUSALS = {
  'invalid-token': 'no_account',
  'owner-suspended': 'suspended',
  'owner-deleted': 'deleted',
} as const satisfies Partial<Record<FailureReason, SignInRefusal>>;

interface FinishParts {
  readonly login: PlatformLogin;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly refusals: Refusals;
}

/** Opens a new session for a person whom the platform sent back. */
export class FinishPlatformSignIn {
  constructor(private readonly parts: FinishParts) {}

  /**
   * Throws `invalid_credentials` when the platform did not sign anybody in, and `unavailable` when it does not answer.
   * @param answer the query with which the platform sent the person back
   */
  async execute(answer: string, underWay: SignInUnderWay, client: Client): Promise<FinishedSignIn> {
    const { accountId, signIn } = await this.parts.login.finish(answer, underWay);
    const account = accountId === undefined ? undefined : await this.parts.accounts.find(accountId);
    const event = account && sessionOpened(account.id, client);
    const session = event && (await this.parts.sessions.begin({ accountId: account.id, signIn, event }));
    if (!session) {
      // The account was read as active and suspended right after that.
      const reason = account ? ownerRefusal(account.status) : 'invalid-token';
      const failure = { reason, client, ownerId: account?.id ?? null, keyId: null, publicPart: null } as const;
      await this.parts.audit.recordFailure(failure);
      this.parts.refusals.note(failure, {
        why: account ? undefined : `no account has the id ${accountId ?? '(none)'}`,
      });
      return { refusal: REFUSALS[reason] };
    }
    if (underWay.sessionDigest) await this.parts.sessions.endByDigest(underWay.sessionDigest);
    return { ...session, isExpected: underWay.ownerId === undefined || underWay.ownerId === accountId };
  }
}
