import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { OwnPostgres } from '../faults/own-postgres.js';
import { outcomeOf } from '../faults/measure.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

let old: OwnPostgres;
let standby: OwnPostgres;
let service: Service;
beforeAll(async () => {
  old = await OwnPostgres.start();
  standby = await old.startStandby('standby');
  service = await startService({
    DATABASE_URL: old.url.replace(/\/latchkey$/, `,${new URL(standby.url).host}/latchkey`),
  });
});
afterAll(async () => {
  await service.stop();
  await standby.remove();
  await old.remove();
});

/** The answer, once there is one. */
async function answerTo(fullKey: string): Promise<string> {
  const { denial } = await eventually(() => service.clients.validate(fullKey).catch(() => undefined));
  return denial?.reason ?? 'granted';
}

test('the primary is killed, its standby takes over without a restart, and the old one is refused when it is back', async () => {
  const person = await service.person().signIn();
  const [good, revoked, revokedLater] = [await person.newKey(), await person.newKey(), await person.newKey()];
  expect((await person.revoke(revoked.apiKey.id)).status).toBe(200);

  await old.kill();
  expect(await outcomeOf(service.clients.validate(good.fullKey))).not.toBe('denial');
  await standby.promote();
  const promotedAt = performance.now();
  // The new primary has no standby.
  await sql(standby.url, `ALTER SYSTEM SET synchronous_standby_names = ''`);
  await sql(standby.url, 'SELECT pg_reload_conf()');
  await eventually(async () => (await outcomeOf(service.clients.validate(good.fullKey))) === 'grant');
  const backMs = performance.now() - promotedAt;
  printFigures('the primary is killed and its standby promoted', {
    'back after ms': Math.round(backMs),
    'promised ms': 2000,
  });
  expect(await answerTo(revoked.fullKey)).toBe('REASON_REVOKED');
  await eventually(async () => [200, 409].includes((await person.revoke(revokedLater.apiKey.id)).status));

  // The old primary accepts writes again. It does not know about the latest revocations.
  await old.startAgain();
  const [{ n }] = (await sql<{ n: number }>(
    old.url,
    `SELECT count(*)::int AS n FROM api_keys WHERE revoked_at IS NULL AND NOT pg_is_in_recovery()`,
  )) as [{ n: number }];
  expect(n).toBe(2);
  await eventually(async () => (await openAt(old)) > 0);
  await sql(
    standby.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'latchkey%'`,
  );
  await eventually(async () => (await outcomeOf(service.clients.validate(good.fullKey))) === 'grant');
  for (const key of [revoked, revokedLater]) expect(await answerTo(key.fullKey)).toBe('REASON_REVOKED');
  await eventually(async () => (await person.create()).status === 201);
  // Only the connection that checks whether the host is the primary.
  expect(await openAt(old)).toBe(1);
}, 300_000);

async function openAt({ url }: OwnPostgres): Promise<number> {
  const rows = await sql(url, `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'latchkey%'`);
  return rows.length;
}
