import { Account, requireProfile, type AccountProfile } from '../../domain/accounts/account.js';
import { passwordProblem } from '../../domain/accounts/password.js';
import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import { requireFields } from '../../domain/errors.js';
import type { Accounts, Passwords } from '../ports.js';
import { saveAccount } from './save-account.js';

export interface PutAccountCommand extends AccountProfile {
  readonly id: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
}

export class PutAccount {
  constructor(
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    /** Whether passwords of ours are any use here. */
    private readonly takesPasswords: boolean,
  ) {}

  async execute(command: PutAccountCommand, actor = THE_SERVICE): Promise<Account> {
    requireProfile(command.id, command);
    if (!this.takesPasswords) refusePasswords(command);
    const passwordHash = await this.newPasswordHash(command);
    return this.accounts.transaction(command.id, async (transaction) => {
      const account =
        transaction.account ?? transaction.formerAccount?.open(command) ?? Account.open(command.id, command);
      account.update(command);
      if (passwordHash !== undefined && passwordHash !== account.passwordHash) {
        account.changePassword(passwordHash);
        await transaction.endSessions();
      }
      await saveAccount(transaction, account, actor);
      return account;
    });
  }

  /** The same password sent again is no change: the stored hash stays, and the sessions live on. */
  private async newPasswordHash({ id, password, passwordHash }: PutAccountCommand): Promise<string | undefined> {
    if (passwordHash !== undefined) {
      requireFields({ passwordHash: this.passwords.hashProblem(passwordHash) });
      return passwordHash;
    }
    if (password === undefined) return undefined;
    requireFields({ password: passwordProblem(password) });
    const current = (await this.accounts.find(id))?.passwordHash;
    if (current && (await this.passwords.verify(password, current)).matches) return undefined;
    return this.passwords.hash(password);
  }
}

function refusePasswords({ password, passwordHash }: PutAccountCommand): void {
  const problem = 'must be left out: PASSWORD_SIGN_IN is off';
  requireFields({
    password: password === undefined ? undefined : problem,
    passwordHash: passwordHash === undefined ? undefined : problem,
  });
}
