import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, outcomeOf } from '#test/support/application/calls.js';
import { DEMO_OWNER, demoOwner } from '#config/demo.js';
import { openDemoOwner, refuseDemoPassword } from './demo-owner.js';

test('each start of a demo creates its owner, even after a purge', async () => {
  const app = openFakes();
  const signIn = () => outcomeOf(app.signIn.execute(DEMO_OWNER.email, DEMO_OWNER.password, client()));
  for (const isPurged of [false, true, false]) {
    if (isPurged) await app.purgeAccount.execute(DEMO_OWNER.id, undefined, { actorId: 'admin:ada', client: client() });
    await openDemoOwner(app.putAccount, demoOwner(true));
    expect(await signIn()).toBe('ok');
  }
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
