import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, type Index } from './create-index.js';

/**
 * The pages of the keys of all owners, by status, have all columns of their filters, so that rows that do not match are
 * never read.
 */
const INDEXES: readonly Index[] = [
  // The service accounts that a person manages; and all of them among many persons, to find those without managers.
  { name: 'accounts_by_manager', on: 'accounts USING gin (managers)' },
  { name: 'service_accounts', on: `accounts (id) WHERE kind = 'service'` },
  // Idempotency keys are unique for each owner and each person who makes keys: the owner's own, and those of managers.
  {
    name: 'api_keys_idempotency_of_owner',
    on: 'api_keys (owner_id, idempotency_key) WHERE created_by IS NULL',
    isUnique: true,
  },
  {
    name: 'api_keys_by_maker',
    on: 'api_keys (created_by, owner_id, idempotency_key) WHERE created_by IS NOT NULL',
    isUnique: true,
  },
  { name: 'api_keys_by_age', on: 'api_keys (created_at, id)' },
  {
    name: 'api_keys_open_by_age',
    on: 'api_keys (created_at, id, expires_at, ends_at) WHERE revoked_at IS NULL AND expired_at IS NULL AND NOT purged',
  },
  {
    name: 'api_keys_expired_by_age',
    on: 'api_keys (created_at, id, expires_at) WHERE expired_at IS NOT NULL AND NOT purged',
  },
  {
    name: 'api_keys_revoked_by_age',
    on: 'api_keys (created_at, id, expires_at) WHERE revoked_at IS NOT NULL AND NOT purged',
  },
  // For searches by what lists show of an imported key.
  { name: 'api_keys_imported_by_prefix', on: 'api_keys (display_prefix) WHERE display_prefix IS NOT NULL' },
  // The mails that wait for a manager, for a purge.
  { name: 'outbox_mail_of_manager', on: 'outbox (recipient) WHERE recipient IS NOT NULL' },
  // What administrators search for by type or actor, among any number of failed authentications. Only their search says
  // `id > 0`: the lists of an owner keep to the indexes of owners, even of one who has most of all events.
  {
    name: 'audit_events_of_changes',
    on: `audit_events (id, type, actor_id) WHERE type <> 'authentication.failed' AND id > 0`,
  },
  // The first event from a time on.
  { name: 'audit_events_by_time', on: 'audit_events (at)' },
];

export class Indexes1765430000000 implements MigrationInterface {
  readonly name = 'Indexes1765430000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const index of INDEXES) await createIndex(runner, index);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${INDEXES.map(({ name }) => name).join(', ')}`);
  }
}
