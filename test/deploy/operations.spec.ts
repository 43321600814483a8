import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { openApplication, times } from '../support/application/application.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { unknownKey } from '../support/callers/key-strings.js';
import type { Person } from '../support/callers/person.js';
import { type Service, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const [OLD_SEAL_KEY, NEW_SEAL_KEY] = ['5e'.repeat(32), 'a1'.repeat(32)] as const;
const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

/** The statements under a heading of a page, as an operator would paste them. */
function statementsUnder(page: string, heading: string): string {
  const [, section = ''] = readFileSync(join(root, page), 'utf8').split(`\n## ${heading}\n`);
  const [, statements] = /```sql\n([\s\S]*?)```/.exec(section.split('\n## ')[0]!) ?? [];
  if (!statements) throw new Error(`${page} has no statements under "${heading}"`);
  return statements;
}

describe('docs/operate.md', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: Service;
  let owner: Person;
  const start = async (sealKey: string) => {
    service = await startService({ DATABASE_URL: database.url, AUDIT_SEAL_KEY: sealKey, ...UNLIMITED });
    owner = await service.person().signIn();
  };
  beforeAll(async () => {
    database = await createDatabase();
    await start(OLD_SEAL_KEY);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** Checks that every event is sealed and every seal holds. */
  const holdsUnder = async (sealKey: string) => {
    const app = await openApplication(database.url);
    const key = createSecretKey(Buffer.from(sealKey, 'hex'));
    const isSealed = async () => {
      const trail = await new VerifyAuditTrail(app.auditTrail, [key]).execute();
      return !trail.intact || (trail.newest && trail.unsealedEvents === 0) ? trail : undefined;
    };
    return eventually(isSealed).finally(() => app.close());
  };

  test('states the highest number of connections that a process opens', async () => {
    const { fullKey } = await owner.newKey({ name: 'load' });
    // On a busy machine some calls may time out. This test counts only the connections.
    const crowd = () =>
      Promise.allSettled(
        times(20, () => [
          service.clients.validate(fullKey),
          service.clients.validate(unknownKey()),
          owner.list(),
        ]).flat(),
      );
    const open = async () => {
      const [row] = await sql<{ open: number }>(
        database.url,
        `SELECT count(*)::int AS open FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'latchkey%'`,
      );
      return row!.open;
    };
    // Connections stay open for a while. If the calls come slowly, fewer are opened. One that timed out may stay until
    // PostgreSQL notices.
    await eventually(async () => {
      await crowd();
      return (await open()) === 13;
    });
    expect(readFileSync(join(root, 'docs/operate.md'), 'utf8')).toContain('At most 13 a process');
  });

  test('has statements that revoke no key as they stand, and all active keys without their list, in a sealed audit trail', async () => {
    const { apiKey, fullKey } = await owner.newKey({ name: 'revoked since the backup' });
    expect((await service.clients.validate(fullKey)).outcome).toBe('grant');
    const statements = statementsUnder('docs/runbook.md', 'Restore');
    await sql(database.url, statements);
    expect((await service.clients.validate(fullKey)).outcome).toBe('grant');
    await sql(database.url, statements.replace(/^ *AND id.*\n/m, ''));

    expect((await service.clients.validate(fullKey)).denial?.reason).toBe('REASON_REVOKED');
    expect((await owner.list()).activeKeys).toBe(0);
    const { items } = await owner.events();
    expect(items).toContainEqual(expect.objectContaining({ type: 'api_key.revoked', keyId: apiKey.id }));
    expect(await holdsUnder(OLD_SEAL_KEY)).toMatchObject({ intact: true });
  });

  test('lets an older release run on the schema of a newer one, also after a restart', async () => {
    const { fullKey } = await owner.newKey({ name: 'across the upgrade' });
    await service.clients.validate(fullKey);
    await sql(
      database.url,
      `ALTER TABLE api_keys ADD COLUMN later text NOT NULL DEFAULT '';
       ALTER TABLE accounts ADD COLUMN later text;
       ALTER TABLE audit_events ADD COLUMN later text;
       CREATE TABLE notes (id bigint PRIMARY KEY);
       INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`,
    );
    for (const isRestarted of [false, true]) {
      if (isRestarted) await service.stop().then(() => start(OLD_SEAL_KEY));
      expect((await service.clients.validate(fullKey)).outcome).toBe('grant');
      const { apiKey, fullKey: fresh } = await owner.newKey({ name: 'after it' });
      expect((await owner.revoke(apiKey.id)).status).toBe(200);
      expect((await service.clients.validate(fresh)).denial?.reason).toBe('REASON_REVOKED');
    }
  });

  test('has statements that begin a new chain of seals under another key', async () => {
    await service.stop();
    await sql(database.url, statementsUnder('docs/runbook.md', 'Begin a new chain of seals'));
    await start(NEW_SEAL_KEY);
    expect(await holdsUnder(NEW_SEAL_KEY)).toMatchObject({ intact: true });
    await expect(sql(database.url, 'DELETE FROM audit_seals')).rejects.toThrow('append-only');
  });
});
