import { Account } from '../../domain/accounts/account.js';
import { requireProfile, type AccountProfile } from '../../domain/accounts/account-profile.js';
import { newPasswordProblem, passwordProblem } from '../../domain/accounts/password.js';
import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import { requireFields } from '../../domain/errors.js';
import type { Accounts, Passwords } from '../ports.js';
import { saveAccount } from './save-account.js';

export interface PutAccountCommand extends AccountProfile {
  readonly id: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
}

interface NewPassword {
  readonly passwordHash?: string;
  /** The stored hash, when the sent password matches it. */
  readonly sameAs?: string;
}

export class PutAccount {
  constructor(
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    /** Whether people may sign in with a password of ours. */
    private readonly takesPasswords: boolean,
  ) {}

  async execute(command: PutAccountCommand, actor = THE_SERVICE): Promise<Account> {
    requireProfile(command.id, command);
    if (!this.takesPasswords) refusePasswords(command);
    const { passwordHash, sameAs } = await this.newPassword(command);
    const put = await this.accounts.transaction(command.id, async (transaction) => {
      const account =
        transaction.account ?? transaction.formerAccount?.open(command) ?? Account.open(command.id, command);
      account.update(command);
      // The password was compared with a hash that is no longer stored.
      if (sameAs !== undefined && sameAs !== account.passwordHash) return undefined;
      if (passwordHash !== undefined && passwordHash !== account.passwordHash) {
        account.changePassword(passwordHash);
        await transaction.endSessions();
      }
      await saveAccount(transaction, account, actor);
      return account;
    });
    return put ?? this.execute(command, actor);
  }

  /** The current password changes neither the hash nor the sessions, even if it is shorter than new ones must be. */
  private async newPassword({ id, password, passwordHash }: PutAccountCommand): Promise<NewPassword> {
    if (passwordHash !== undefined) {
      requireFields({ passwordHash: this.passwords.hashProblem(passwordHash) });
      return { passwordHash };
    }
    if (password === undefined) return {};
    requireFields({ password: passwordProblem(password) && newPasswordProblem(password) });
    const current = (await this.accounts.find(id))?.passwordHash;
    if (current && (await this.passwords.verify(password, current)).matches) return { sameAs: current };
    requireFields({ password: newPasswordProblem(password) });
    return { passwordHash: await this.passwords.hash(password) };
  }
}

function refusePasswords({ password, passwordHash }: PutAccountCommand): void {
  const problem = 'must be left out: PASSWORD_SIGN_IN is off';
  requireFields({
    password: password === undefined ? undefined : problem,
    passwordHash: passwordHash === undefined ? undefined : problem,
  });
}
