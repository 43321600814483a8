import type { Config } from '#config/config.js';
import { PostgresAccounts } from '#infrastructure/outbound/postgres/transaction/accounts.js';
import { PostgresAuditTrail } from '#infrastructure/outbound/postgres/audit/audit-trail.js';
import type { Database } from '#infrastructure/outbound/postgres/client/database.js';
import { PostgresRecordingGate } from '#infrastructure/outbound/postgres/keys/recording-gate.js';
import { PostgresApiKeys } from '#infrastructure/outbound/postgres/keys/api-keys.js';
import { PostgresDueKeys } from '#infrastructure/outbound/postgres/transaction/due-keys.js';
import { PostgresIdleKeys } from '#infrastructure/outbound/postgres/keys/idle-keys.js';
import { PostgresInstances } from '#infrastructure/outbound/postgres/keys/instances.js';
import { PostgresOutbox } from '#infrastructure/outbound/postgres/outbox/outbox.js';
import { OutboxWriter } from '#infrastructure/outbound/postgres/outbox/outbox-writer.js';

/** The adapters that both the service and the command line use. */
export function buildStores(
  database: Database,
  { noticeReceivers, keyPolicy }: Pick<Config, 'noticeReceivers' | 'keyPolicy'>,
) {
  const outboxWriter = new OutboxWriter(noticeReceivers);
  const endsIdleKeys = keyPolicy.revokeIdleAfterDays !== undefined;
  return {
    outboxWriter,
    outbox: new PostgresOutbox(database),
    auditTrail: new PostgresAuditTrail(database),
    recordingGate: new PostgresRecordingGate(database.answerTimeoutMs),
    dueKeys: new PostgresDueKeys(database, outboxWriter),
    idleKeys: new PostgresIdleKeys(database),
    keys: new PostgresApiKeys(database, endsIdleKeys),
    instances: new PostgresInstances(database),
    accounts: new PostgresAccounts(database, outboxWriter, endsIdleKeys),
  };
}
