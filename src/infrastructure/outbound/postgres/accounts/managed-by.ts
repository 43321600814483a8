import type { EntityManager } from 'typeorm';
import { AccountRow } from './rows.js';

/** The service accounts that name this person as a manager, in the order of their ids. */
export function managedBy(manager: EntityManager, personId: string): Promise<AccountRow[]> {
  const query = manager.createQueryBuilder(AccountRow, 'account').orderBy('account.id');
  return query.where('account.managers @> ARRAY[:personId] AND NOT account.purged', { personId }).getMany();
}
