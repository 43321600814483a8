import { Any, type EntityManager } from 'typeorm';
import type { ImportScope, ImportTransaction, KeyImports, NewImport } from '#application/key-ports.js';
import { AccountRow, toAccount } from '../accounts/rows.js';
import { AuditEventRow, fromAuditEvent } from '../audit/rows.js';
import { type Database, databaseNow, insertMany } from '../client/database.js';
import { isUniqueViolation } from '../client/errors.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { countActive } from '../keys/api-keys.js';
import { ApiKeyRow, fromApiKey, toApiKey } from '../keys/rows.js';

export class PostgresKeyImports implements KeyImports {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxWriter,
  ) {}

  /** One after the other: many at once would take all connections, and everybody else would wait. */
  transaction<T>(scope: ImportScope, work: (transaction: ImportTransaction) => T): Promise<T> {
    const turn = this.last.then(() => this.run(scope, work));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async run<T>(scope: ImportScope, work: (transaction: ImportTransaction) => T): Promise<T> {
    for (;;) {
      try {
        return await this.database.transaction((manager) => this.attempt(manager, scope, work));
      } catch (error) {
        // Another import has added one of the keys: this time it is found.
        if (!isUniqueViolation(error, 'api_keys_public_part')) throw error;
      }
    }
  }

  /** The locks come first, and in one order, so that two imports can't deadlock. */
  private async attempt<T>(
    manager: EntityManager,
    { ownerIds, publicParts }: ImportScope,
    work: (transaction: ImportTransaction) => T,
  ): Promise<T> {
    const lock = { mode: 'for_no_key_update' } as const;
    const owners = await manager.find(AccountRow, { where: { id: Any(ownerIds) }, order: { id: 'ASC' }, lock });
    const stored = await manager.findBy(ApiKeyRow, { publicPart: Any(publicParts) });
    const now = await databaseNow(manager);
    const active = await countActive(manager, ownerIds, now);
    const accounts = new Map(owners.filter(({ purged }) => !purged).map((row) => [row.id, toAccount(row)]));
    const keys = new Map(stored.map((row) => [row.publicPart, toApiKey(row)]));
    const added: NewImport[] = [];
    const answer = work({
      now,
      unanswered: owners.flatMap(({ id, unanswered }) => (unanswered ? [{ ownerId: id, changeId: unanswered }] : [])),
      account: (id) => accounts.get(id),
      existing: (publicPart) => keys.get(publicPart),
      activeKeys: (ownerId) => active.get(ownerId) ?? 0,
      add: (imported) => {
        const { ownerId } = imported.key;
        active.set(ownerId, (active.get(ownerId) ?? 0) + 1);
        added.push(imported);
      },
    });
    if (added.length > 0) await this.save(manager, added);
    return answer;
  }

  private async save(manager: EntityManager, added: readonly NewImport[]): Promise<void> {
    // In one order, because an import with other accounts may be adding the same keys.
    const rows = added.map(({ key }) => fromApiKey(key, null));
    rows.sort((one, other) => (one.publicPart < other.publicPart ? -1 : 1));
    await insertMany(manager, ApiKeyRow, rows);
    const events = added.map(({ event, key }) => fromAuditEvent(event, key.ownerId));
    await insertMany(manager, AuditEventRow, events);
    await this.outbox.write(
      manager,
      added.flatMap(({ notices }) => notices),
    );
  }
}
