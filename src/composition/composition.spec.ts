import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { counter } from '#infrastructure/telemetry/instrument.js';
import { readConfig } from '#config/config.js';
import { PostgresStoredCosts } from '#infrastructure/outbound/postgres/sign-in/stored-costs.js';
import { createDataSource } from '#infrastructure/outbound/postgres/schema.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { ADMIN_PERMISSION, openFakes } from '#test/fakes/fake-application.js';
import { client, outcomeOf } from '#test/support/application/calls.js';
import { DEMO_OWNER, demoAccounts } from '#config/demo.js';
import { Parts } from './parts.js';
import { buildAdapters } from './adapters.js';
import { openDemoAccount, refuseDemoPassword } from './demo-owner.js';

describe('a registered part', () => {
  /** Notes every call to it. */
  function part(name: string, notes: string[]) {
    return {
      open: async () => void notes.push(`open ${name}`),
      close: async () => {
        // Gives other parts the chance to run first.
        await Promise.resolve();
        notes.push(`close ${name}`);
      },
      instruments: () => [counter(`${name}_total`, 'For this test', () => 1)],
    };
  }

  test('is opened, and closed before the parts that were registered earlier', async () => {
    const notes: string[] = [];
    const parts = new Parts({ database: part('database', notes), reader: part('reader', notes) });
    await parts.open();
    await parts.close();
    expect(notes).toEqual(['open database', 'open reader', 'close reader', 'close database']);
  });

  test('is measured', () => {
    const parts = new Parts({ one: part('one', []), two: part('two', []) });
    expect(parts.instruments().map(({ name }) => name)).toEqual(['one_total', 'two_total']);
  });

  test('may have no methods, and may be undefined', async () => {
    const parts = new Parts({ plain: {}, absent: undefined });
    await parts.open();
    await parts.close();
    expect(parts.instruments()).toEqual([]);
  });

  test('is opened once if it has two names', async () => {
    const notes: string[] = [];
    const limiter = part('limiter', notes);
    await new Parts({ local: limiter, shared: limiter }).open();
    expect(notes).toEqual(['open limiter']);
  });
});

describe('the adapters', () => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/nowhere';

  afterEach(() => void jest.restoreAllMocks());

  test('a sign-in with an unknown email costs as much as the stored hashes', async () => {
    const read = jest.spyOn(PostgresStoredCosts.prototype, 'read');
    read.mockResolvedValue({ key: Buffer.alloc(32), costs: [] });
    const primary = primaryAt(DATABASE_URL);
    const telemetry = { log: new Log('silent'), traces: NO_TRACES };
    const { passwords } = buildAdapters(
      readConfig({ DEMO: '1', DATABASE_URL }),
      primary,
      createDataSource(primary),
      telemetry,
    );
    await passwords.refreshDecoys();
    expect(read).toHaveBeenCalledTimes(1);
  });
});

describe('the owner of a demo', () => {
  test('each start of a demo creates its owner, even after a purge', async () => {
    const app = openFakes();
    const signIn = () => outcomeOf(app.signIn.execute(DEMO_OWNER.email, DEMO_OWNER.password, client()));
    for (const isPurged of [false, true, false]) {
      if (isPurged) await app.changeAccount.purge(DEMO_OWNER.id, undefined, { actorId: 'admin:ada', client: client() });
      for (const account of demoAccounts({ passwordSignIn: true, adminPermission: ADMIN_PERMISSION }))
        await openDemoAccount(app.putAccount, account);
      expect(await signIn()).toBe('ok');
    }
    expect((await app.accounts.find(DEMO_OWNER.id))?.permissions).toContain(ADMIN_PERMISSION);
    expect((await app.accounts.find('demo-ci'))?.managers).toEqual([DEMO_OWNER.id]);
  });

  describe('a start without demo values', () => {
    const { id, email, displayName, password } = DEMO_OWNER;
    /** The error with which a database with these accounts stops the start; undefined when the service starts. */
    async function refusal(...accounts: { id: string; email: string; displayName?: string; password?: string }[]) {
      const app = openFakes();
      for (const account of accounts) await app.putAccount.execute({ displayName: '', permissions: [], ...account });
      return refuseDemoPassword(app.accounts, app.passwords).catch((error: Error) => error.message);
    }

    test.each([
      ['as the demo left it', { id, email, displayName, password }, `put 'demo' --email 'demo@latchkey.dev'`],
      ['under another email', { id, email: 'ada@example.org', password }, `put 'demo' --email 'ada@example.org'`],
      ['under another id', { id: 'ada', email, password }, `put 'ada' --email 'demo@latchkey.dev'`],
      [
        'with a quote in its name',
        { id, email, displayName: `Ada's $(rm)`, password },
        `--display-name 'Ada'\\''s $(rm)' --permissions ''`,
      ],
    ])('is refused while the demo owner’s password works: %s', async (_, account, command) => {
      const message = await refusal(account);
      expect(message).toContain('the published password of the demo owner still works');
      expect(message).toContain(command);
      expect(message).not.toContain(password);
    });

    test('is refused if one account has the demo id and another the demo email and password', async () => {
      const one = { id, email: 'ada@example.org', password: 'her own password' };
      expect(await refusal(one, { id: 'grace', email, password })).toContain(`put 'grace'`);
    });

    test('succeeds with another password, without a password and without the account', async () => {
      expect(await refusal({ id, email, password: 'another password' })).toBeUndefined();
      expect(await refusal({ id, email })).toBeUndefined();
      expect(await refusal({ id: 'ada', email: 'ada@example.org', password })).toBeUndefined();
    });
  });
});
