import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  newOwner,
  openOnOwnDatabase,
  PASSWORD,
  tally,
  times,
  type OwnApplication,
} from '#test/support/application/application.js';
import { rowsRead } from '#test/support/stores/rows-read.js';
import type { PutAccountCommand } from '#application/accounts/put-account.js';
import { PostgresAccounts } from './accounts.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

let made = 0;
function profile(part: Partial<PutAccountCommand> = {}): PutAccountCommand {
  const id = part.id ?? `p${(made += 1)}`;
  return { id, email: `${id}@example.org`, displayName: 'Ada', permissions: ['systems:read'], ...part };
}

describe('the email of an account', () => {
  test('goes to one of 20 new accounts that claim it at once', async () => {
    const claims = times(20, () => app.putAccount.execute(profile({ email: 'race@example.org' })));
    expect(await tally(claims)).toEqual({ ok: 1, email_taken: 19 });
  });
});

describe('the version of an account', () => {
  test('is the newest of 20 that arrive out of order, for an existing account and a new one', async () => {
    for (const exists of [true, false]) {
      const base = profile();
      if (exists) await app.putAccount.execute(base);
      const shuffled = times(20, (n) => ((n * 7) % 20) + 1);
      const outcomes = await tally(
        shuffled.map((n) => app.putAccount.execute({ ...base, version: BigInt(n), displayName: `v${n}` })),
      );
      expect(Object.keys(outcomes).filter((code) => !['ok', 'stale_version'].includes(code))).toEqual([]);
      expect(await app.getAccount.execute(base.id)).toMatchObject({ version: 20n, displayName: 'v20' });
    }
  });
});

describe('the status of an account', () => {
  test('is that of the newest version, in any order of 20 changes', async () => {
    const { id } = await newOwner(app);
    const changes = times(20, (n) => ((n * 7) % 20) + 1);
    const change = (version: number) =>
      app.changeAccountStatus[version % 2 ? 'suspend' : 'reactivate'](id, BigInt(version));
    const outcomes = await tally(changes.map(change));
    expect(Object.keys(outcomes).filter((code) => !['ok', 'stale_version'].includes(code))).toEqual([]);
    expect(await app.getAccount.execute(id)).toMatchObject({ status: 'active', version: 20n });
  });

  test('leaves nobody signed in when it changes during four sign-ins', async () => {
    const { id, email } = await newOwner(app);
    const attempts = tally(times(4, () => app.signIn.execute(email, PASSWORD, client())));
    await app.changeAccountStatus.suspend(id);
    const { ok = 0, invalid_credentials: refused = 0 } = await attempts;
    expect(ok + refused).toBe(4);
    expect(await app.sql(`SELECT 1 FROM sessions WHERE account_id = $1`, [id])).toEqual([]);
  });
});

test('Counting service accounts without managers reads only them and their managers, among 50,000 persons', async () => {
  await app.sql(
    `INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version)
     SELECT 'many' || n, n || '@many', n || '@many', '', '{}', 'active', 0 FROM generate_series(1, 50000) AS n`,
  );
  const { id } = await newOwner(app);
  for (const bot of ['bot1', 'bot2', 'bot3']) {
    const profile = { email: '', displayName: 'CI bot', permissions: [], managers: [id, 'many1'] };
    await app.putAccount.execute({ id: bot, kind: 'service', ...profile });
  }
  await app.sql('ANALYZE accounts');
  const count = (explained: typeof app.database) =>
    new PostgresAccounts(explained, app.outboxWriter, false).countWithoutManagers();
  expect(await rowsRead(app.database, count)).toBeLessThanOrEqual(3 + 3 * 2);
  expect(await count(app.database)).toBe(0);
});
