import { Account, requireProfile, type AccountProfile } from '../../domain/accounts/account.js';
import { requireFields } from '../../domain/errors.js';
import type { Accounts, Passwords } from '../ports.js';

const MAX_PASSWORD_LENGTH = 1024;

export interface PutAccountCommand extends AccountProfile {
  readonly id: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
}

export class PutAccount {
  constructor(
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
  ) {}

  async execute(command: PutAccountCommand): Promise<Account> {
    requireProfile(command.id, command);
    const passwordHash = await this.newPasswordHash(command);
    return this.accounts.transaction(command.id, async (transaction) => {
      const account = transaction.account ?? Account.open(command.id, command);
      account.update(command);
      if (passwordHash !== undefined && passwordHash !== account.passwordHash) {
        account.changePassword(passwordHash);
        await transaction.endSessions();
      }
      await transaction.saveAccount(account);
      return account;
    });
  }

  /** The same password sent again is no change: the stored hash stays, and the sessions live on. */
  private async newPasswordHash({ id, password, passwordHash }: PutAccountCommand): Promise<string | undefined> {
    if (passwordHash !== undefined) {
      requireFields({ password_hash: this.passwords.hashProblem(passwordHash) });
      return passwordHash;
    }
    if (password === undefined) return undefined;
    const fits = password.length >= 1 && password.length <= MAX_PASSWORD_LENGTH;
    requireFields({ password: fits ? undefined : `must be 1 to ${MAX_PASSWORD_LENGTH} characters` });
    const current = (await this.accounts.find(id))?.passwordHash;
    if (current && (await this.passwords.verify(password, current)).matches) return undefined;
    return this.passwords.hash(password);
  }
}
