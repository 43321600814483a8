import { ownerRefusal } from '../../domain/accounts/account.js';
import type { Client, FailureReason } from '../../domain/audit/audit-event.js';
import type { Accounts, Audit, PlatformLogin, Refusals, Sessions } from '../ports.js';
import { sessionOpened } from './sign-in.js';
import type { SignInUnderWay } from './begin-platform-sign-in.js';

/** Of somebody whom the platform knows and who does not get in here. */
export type SignInRefusal = 'no_account' | 'suspended' | 'deleted';

export type FinishedSignIn =
  | { readonly refusal: SignInRefusal }
  | {
      readonly refusal?: undefined;
      readonly token: string;
      readonly expiresAt: Date;
      /** Of a confirmation: whether it is the person who asked for it. */
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

/** Opens a session, always a new one, for a person who comes back from the platform. */
export class FinishPlatformSignIn {
  constructor(private readonly parts: FinishParts) {}

  /**
   * Throws `invalid_credentials` when the platform did not sign anybody in, `unavailable` when it is away.
   * @param answer the query that the platform sent them back with
   */
  async execute(answer: string, underWay: SignInUnderWay, client: Client): Promise<FinishedSignIn> {
    const { accountId, signIn } = await this.parts.login.finish(answer, underWay);
    const account = accountId === undefined ? undefined : await this.parts.accounts.find(accountId);
    const event = account && sessionOpened(account.id, client);
    const session = event && (await this.parts.sessions.begin({ accountId: account.id, signIn, event }));
    if (!session) {
      // An account that was suspended in this very moment was read as active.
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
