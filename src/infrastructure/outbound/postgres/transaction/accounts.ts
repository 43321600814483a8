import { Any } from 'typeorm';
import type { AccountFilter, Accounts, AccountTransaction } from '#application/account-ports.js';
import { type Account } from '#domain/accounts/account.js';
import { emailKey } from '#domain/accounts/account-profile.js';
import { Refusal } from '#domain/errors.js';
import { PostgresAccountTransaction } from './account-transaction.js';
import { CrowdReader } from '../client/crowd-reader.js';
import type { Database } from '../client/database.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { AccountRow, ACTIVE, managedBy, storedAs, toAccount } from '../accounts/account-rows.js';
import { isUniqueViolation, unavailable } from '../client/errors.js';

/** Says in SQL for whom `isManagedBy` is true. */
const WITHOUT_MANAGERS = `account.kind = 'service' AND account.status <> 'deleted' AND NOT account.purged AND NOT EXISTS (
  SELECT FROM accounts person
  WHERE person.id = ANY(account.managers) AND person.kind = 'person' AND person.status IN ${ACTIVE})`;

/** Another call opened the same account or imported the same key in the meantime. The next attempt sees its row. */
const WON_BY_ANOTHER = ['accounts_pkey', 'api_keys_public_part'];
const MAX_ATTEMPTS = 100;

export class PostgresAccounts implements Accounts {
  private readonly byEmail = new CrowdReader('accounts_by_email', (keys) => this.findByEmailKeys(keys));

  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxWriter,
    private readonly endsIdleKeys: boolean,
  ) {}

  async find(id: string): Promise<Account | undefined> {
    const row = await this.database.run((manager) => manager.findOneBy(AccountRow, { id, purged: false }));
    return row ? toAccount(row) : undefined;
  }

  findByEmail(email: string): Promise<Account | undefined> {
    return this.byEmail.read(emailKey(email));
  }

  list(
    { status, email, isWithoutManagers, signedInBefore }: AccountFilter,
    afterId: string | undefined,
    limit: number,
  ): Promise<Account[]> {
    return this.database.run(async (manager) => {
      const query = manager.createQueryBuilder(AccountRow, 'account').where('NOT account.purged');
      if (status !== undefined) query.andWhere('account.status IN (:...stored)', { stored: storedAs(status) });
      if (email !== undefined) query.andWhere('account.email_key = :emailKey', { emailKey: emailKey(email) });
      if (isWithoutManagers) query.andWhere(WITHOUT_MANAGERS);
      if (signedInBefore) query.andWhere('account.signed_in_at < :signedInBefore', { signedInBefore });
      if (afterId !== undefined) query.andWhere('account.id > :afterId', { afterId });
      return (await query.orderBy('account.id').limit(limit).getMany()).map(toAccount);
    });
  }

  async rehash(id: string, from: string, to: string): Promise<void> {
    await this.database.transaction((manager) =>
      manager.update(AccountRow, { id, passwordHash: from }, { passwordHash: to }),
    );
  }

  async managedBy(personId: string): Promise<Account[]> {
    return (await this.database.run((manager) => managedBy(manager, personId))).map(toAccount);
  }

  async countWithoutManagers(): Promise<number> {
    const query = `SELECT count(*)::integer AS count FROM accounts account WHERE ${WITHOUT_MANAGERS}`;
    const [row] = await this.database.run((manager) => manager.query<{ count: number }[]>(query));
    return row?.count ?? 0;
  }

  async transaction<T>(
    id: string,
    work: (transaction: AccountTransaction) => Promise<T>,
    others: readonly string[] = [],
  ): Promise<T> {
    const attempt = () =>
      this.database.transaction(async (manager) => {
        const transaction = await PostgresAccountTransaction.begin(manager, {
          id,
          others,
          endsIdleKeys: this.endsIdleKeys,
        });
        const outcome = await work(transaction).then((result) => ({ result }), refused);
        await transaction.finish(this.outbox);
        return outcome;
      });
    for (let attempts = 1; ; attempts += 1) {
      try {
        const outcome = await attempt();
        if ('refusal' in outcome) throw outcome.refusal;
        return outcome.result;
      } catch (error) {
        if (!WON_BY_ANOTHER.some((index) => isUniqueViolation(error, index))) throw error;
        if (attempts === MAX_ATTEMPTS) throw unavailable(error);
      }
    }
  }

  private async findByEmailKeys(keys: readonly string[]): Promise<Map<string, Account>> {
    const rows = await this.database.run((manager) => manager.findBy(AccountRow, { emailKey: Any(keys) }));
    return new Map(rows.map((row) => [row.emailKey!, toAccount(row)]));
  }
}

/** Returned instead of thrown, so that the transaction commits first. The refusal is thrown after the commit. */
function refused(error: unknown): { readonly refusal: Refusal } {
  if (error instanceof Refusal) return { refusal: error };
  throw error;
}
