import { Any, type EntityManager } from 'typeorm';
import type {
  ImportScope,
  ImportTransaction,
  KeyImports,
  NewImport,
} from '../../../../application/key-import-ports.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import { toAccount } from '../accounts/mapping.js';
import { AccountRow } from '../accounts/rows.js';
import { fromAuditEvent } from '../audit/mapping.js';
import { databaseNow, type Database } from '../client/database.js';
import { isUniqueViolation } from '../client/errors.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { countActive } from './api-keys.js';
import { toApiKey } from './mapping.js';
import { ApiKeyRow } from './rows.js';

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
        // oxlint-disable-next-line no-await-in-loop
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
    await manager.query(ADD_KEYS, [JSON.stringify(added.map(({ key }) => toStored(key)))]);
    const events = added.map(({ event, key }) => fromAuditEvent(event, key.ownerId));
    await manager.query(ADD_EVENTS, [JSON.stringify(events)]);
    await this.outbox.write(
      manager,
      added.flatMap(({ notices }) => notices),
    );
  }
}

/** In one order, because an import with other accounts may be adding the same keys. */
const ADD_KEYS = `
  INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, display_prefix, digest, created_at, expires_at,
    permissions, allowed_networks)
  SELECT id, "ownerId", name, access, "keyPrefix", "publicPart", "displayPrefix", decode(digest, 'hex'), "createdAt",
    "expiresAt", permissions, "allowedNetworks"
  FROM json_to_recordset($1) AS added (
    id uuid, "ownerId" text, name text, access text, "keyPrefix" text, "publicPart" text, "displayPrefix" text, digest text,
    "createdAt" timestamptz, "expiresAt" timestamptz, permissions text[], "allowedNetworks" text[])
  ORDER BY "publicPart"`;

const ADD_EVENTS = `
  INSERT INTO audit_events (type, owner_id, key_id, actor_id, client_ip, user_agent, request_id, details)
  SELECT type, "ownerId", "keyId", "actorId", "clientIp", "userAgent", "requestId", details
  FROM json_to_recordset($1) AS added (
    type text, "ownerId" text, "keyId" uuid, "actorId" text, "clientIp" text, "userAgent" text, "requestId" text,
    details text)`;

/** All that an imported key has. The other columns have their defaults. */
function toStored(key: ApiKey) {
  const { id, ownerId, name, access, keyPrefix, publicPart, displayPrefix, digest, ...rest } = key.snapshot();
  const { createdAt, expiresAt, permissions, allowedNetworks } = rest;
  const parts = { keyPrefix, publicPart, displayPrefix, digest: digest.toString('hex') };
  return { id, ownerId, name, access, ...parts, createdAt, expiresAt, permissions, allowedNetworks };
}
