import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { FakePasswords } from '#test/fakes/sessions/fake-passwords.js';
import { client } from '#test/support/application/calls.js';
import { LatchkeyError } from '#domain/errors.js';
import { ImportAccounts, PutAccount, type PutAccountCommand } from './put-account.js';
import { rehearsed } from '../with-transactions.js';

const ACTOR = { actorId: 'admin:ada', actorKind: 'administrator', client: client() } as const;
const line = (id: string, part: Partial<PutAccountCommand> = {}): PutAccountCommand => ({
  ...{ id, email: `${id}@example.org`, displayName: id, permissions: ['systems:read'] },
  ...part,
});

describe('ImportAccounts', () => {
  test('says what became of each line, in their order, and a refused line does not affect the others', async () => {
    const app = openFakes();
    const importAccounts = new ImportAccounts(app.putAccount, false);
    await importAccounts.execute([line('same'), line('other')], ACTOR);
    const lines = [
      line('new'),
      line('same'),
      line('other', { displayName: 'Other' }),
      line('taken', { email: 'same@example.org' }),
      line('bad', { permissions: ['*'] }),
      line('service:a'),
    ];
    const outcomes = await importAccounts.execute(lines, ACTOR);
    expect(outcomes.map((outcome) => ('became' in outcome ? outcome.became : outcome.refused.code))).toEqual([
      ...['opened', 'unchanged', 'changed'],
      ...['email_taken', 'invalid_fields', 'invalid_fields'],
    ]);
    expect([...app.store.accounts.keys()].sort()).toEqual(['new', 'other', 'same']);
    expect(app.store.events.at(-1)).toMatchObject({ type: 'account.changed', actorId: 'admin:ada' });
  });

  test('has at most 32 lines in flight', async () => {
    let [inFlight, most] = [0, 0];
    const putAccount = {
      execute: async () => {
        most = Math.max(most, (inFlight += 1));
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        return { kind: 'person', changes: [] };
      },
    } as unknown as PutAccount;
    const lines = Array.from({ length: 100 }, (_, n) => line(`u${n}`));
    expect(await new ImportAccounts(putAccount, false).execute(lines, ACTOR)).toHaveLength(100);
    expect(most).toBe(32);
  });

  test('fails with an outage once no line is in flight any more', async () => {
    let inFlight = 0;
    const away = new LatchkeyError('unavailable', 'away');
    const putAccount = {
      execute: async () => {
        inFlight += 1;
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        throw away;
      },
    } as unknown as PutAccount;
    const lines = Array.from({ length: 100 }, (_, n) => line(`u${n}`));
    await expect(new ImportAccounts(putAccount, false).execute(lines, ACTOR)).rejects.toBe(away);
    expect(inFlight).toBe(0);
  });

  test('of a dry run knows the managers that it would have opened, and stores nothing', async () => {
    const app = openFakes();
    const rehearsal = new PutAccount(rehearsed(app.accounts), new FakePasswords(), true);
    const importAccounts = new ImportAccounts(rehearsal, true);
    await importAccounts.execute([line('ada')], ACTOR);
    const bot = (managers: string[]) => line('bot', { kind: 'service', email: '', managers });
    expect(await importAccounts.execute([bot(['ada'])], ACTOR)).toEqual([{ became: 'opened' }]);
    expect(await importAccounts.execute([bot(['ada', 'nobody'])], ACTOR)).toMatchObject([
      { refused: { message: expect.stringContaining('"nobody"') } },
    ]);
    expect([app.store.accounts.size, app.store.events.length]).toEqual([0, 0]);
  });
});
