import { Account } from '#domain/accounts/account.js';
import { accountIdProblem, emailKey, requireProfile, type AccountProfile } from '#domain/accounts/account-profile.js';
import { newPasswordProblem, passwordProblem } from '#domain/accounts/passwords.js';
import { THE_SERVICE, type Actor } from '#domain/audit/audit-event.js';
import { requireFields, LatchkeyError } from '#domain/errors.js';
import type { AccountChanges, AccountLocks, LockedAccounts, Accounts } from '../account-ports.js';
import type { Passwords } from '../sign-in-ports.js';
import { atOnce } from '../with-transactions.js';
import { saveAccount } from './change-account.js';

export interface PutAccountCommand extends AccountProfile {
  readonly id: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
}

export class PutAccount {
  constructor(
    private readonly accounts: Pick<Accounts, 'find' | 'findByEmail'> & AccountLocks<AccountChanges>,
    private readonly passwords: Passwords,
    /** Whether people may sign in with a password of ours. */
    private readonly takesPasswords: boolean,
  ) {}

  async execute(command: PutAccountCommand, actor = THE_SERVICE): Promise<Account> {
    // PostgreSQL refuses some texts that are no ids, such as those with a NUL.
    const stored = accountIdProblem(command.id) ? undefined : await this.accounts.find(command.id);
    requireProfile(command.id, command, stored?.kind);
    if (!this.takesPasswords) refusePasswords(command, 'PASSWORD_SIGN_IN is off');
    const kind = command.kind ?? stored?.kind ?? 'person';
    if (kind === 'service') refusePasswords(command, 'a service account has none');
    const { passwordHash, sameAs } = await this.newPassword(command, stored?.passwordHash);
    const put = (holderId?: string) =>
      this.accounts.transaction(
        command.id,
        async (transaction) => {
          await takeEmail(transaction, holderId, command.email, actor);
          const account =
            transaction.account ?? transaction.formerAccount?.open(command) ?? Account.open(command.id, command);
          account.update(command);
          requirePersons(transaction, command.managers);
          // It is no longer the account that the fields, or the password, were checked for.
          if (account.kind !== kind || (sameAs !== undefined && sameAs !== account.passwordHash)) return undefined;
          if (passwordHash !== undefined && passwordHash !== account.passwordHash) {
            account.changePassword(passwordHash);
            await transaction.endSessions();
          }
          await saveAccount(transaction, account, actor);
          return account;
        },
        [...(command.managers ?? []), ...(holderId === undefined ? [] : [holderId])],
      );
    const account = await put().catch(async (error: unknown) => put(await this.giverOfEmail(command, error)));
    return account ?? this.execute(command, actor);
  }

  /** The id of an account that the login keeps and that has the email: the platform's accounts come first. */
  private async giverOfEmail({ email }: PutAccountCommand, error: unknown): Promise<string> {
    const isTaken = error instanceof LatchkeyError && error.code === 'email_taken';
    const holder = isTaken ? await this.accounts.findByEmail(email) : undefined;
    if (holder?.origin !== 'sign-in') throw error;
    return holder.id;
  }

  /**
   * The current password changes neither the hash nor the sessions, even if it is shorter than new ones must be.
   * `sameAs`: the stored hash, if the sent password matches it.
   */
  private async newPassword({ password, passwordHash }: PutAccountCommand, current: string | null | undefined) {
    if (passwordHash !== undefined) {
      requireFields({ passwordHash: this.passwords.hashProblem(passwordHash) });
      return { passwordHash };
    }
    if (password === undefined) return {};
    requireFields({ password: passwordProblem(password) && newPasswordProblem(password) });
    if (current && (await this.passwords.verify(password, current)).matches) return { sameAs: current };
    requireFields({ password: newPasswordProblem(password) });
    return { passwordHash: await this.passwords.hash(password) };
  }
}

async function takeEmail(
  transaction: AccountChanges,
  holderId: string | undefined,
  email: string,
  actor: Actor,
): Promise<void> {
  const holder = holderId === undefined ? undefined : transaction.other(holderId);
  if (holder?.origin !== 'sign-in' || emailKey(holder.email) !== emailKey(email)) return;
  holder.loseEmail();
  await saveAccount(transaction, holder, actor);
}

/** Suspended and deleted persons may be managers too. */
function requirePersons(transaction: LockedAccounts, managers: readonly string[] = []): void {
  const wrong = managers.find((id) => transaction.other(id)?.kind !== 'person');
  requireFields({
    managers:
      wrong && `must be the ids of persons who have an account here, unlike ${JSON.stringify(wrong.slice(0, 128))}`,
  });
}

function refusePasswords({ password, passwordHash }: PutAccountCommand, why: string): void {
  const problem = `must be left out: ${why}`;
  requireFields({
    password: password === undefined ? undefined : problem,
    passwordHash: passwordHash === undefined ? undefined : problem,
  });
}

export type AccountOutcome =
  | { readonly became: 'opened' | 'changed' | 'unchanged' }
  | { readonly refused: LatchkeyError };

const IN_FLIGHT = 32;

/**
 * Opens and changes many accounts, each as PutAccount does. The outcomes are in the order of the lines, whose ids differ. After
 * `unavailable` or `busy`, all lines may be sent again.
 */
export async function importAccounts(
  putAccount: PutAccount,
  lines: readonly PutAccountCommand[],
  actor: Actor,
): Promise<AccountOutcome[]> {
  const outcomes: AccountOutcome[] = [];
  await atOnce(IN_FLIGHT, lines.entries(), async ([index, line]) => {
    try {
      const { changes } = await putAccount.execute(line, actor);
      const isNew = changes.some(({ became }) => became === 'created');
      outcomes[index] = { became: isNew ? 'opened' : changes.length > 0 ? 'changed' : 'unchanged' };
    } catch (error) {
      const isRefusal = error instanceof LatchkeyError && error.code !== 'unavailable' && error.code !== 'busy';
      if (!isRefusal) throw error;
      outcomes[index] = { refused: error };
    }
  });
  return outcomes;
}
