import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { rotateKey, themselves } from '../support/application/calls.js';
import { client, createKey, newOwner, openApplication, type Application } from '../support/application/application.js';
import { SEAL_KEY, SEAL_KEY_HEX } from '../support/stores/audit-trail.js';
import { hostedLatchkey } from '../support/processes/shell.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';

/** A person with the database's password, against `latchkey audit verify`. */
describe('a database writer', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let app: Application;
  beforeAll(async () => {
    database = await createDatabase();
    app = await openApplication(database.url);
  });
  afterEach(async () => {
    // The seals' chain stays for the next test, without the differences of this one.
    await tamper(
      'TRUNCATE audit_events, audit_seals, audit_prunings, sessions, api_keys, accounts RESTART IDENTITY CASCADE',
    );
  });
  afterAll(async () => {
    await app?.close();
    await database.drop();
  });

  const run = (text: string, ...values: unknown[]) => sql(database.url, text, values);
  /** Without the triggers. */
  const tamper = (statement: string) =>
    run(`BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`);
  const seal = () => new SealAuditEvents(app.auditTrail, [SEAL_KEY]).execute();
  const verify = async (...options: string[]) => {
    const env = { DATABASE_URL: database.url, AUDIT_SEAL_KEY: SEAL_KEY_HEX };
    const { code, out, err } = await hostedLatchkey(['audit', 'verify', ...options], { env });
    expect(err).toBe('');
    return { code, lines: out.trimEnd().split('\n') };
  };
  const revoked = async (ownerId: string) => {
    const { key } = await createKey(app, ownerId);
    await app.changeKeysOfOwner.revoke(themselves(ownerId), key.id, client());
    return key;
  };
  const insertKey = (ownerId: string, id = randomUUID(), createdDaysAgo = 0) => {
    const secret = randomBytes(28).toString('hex');
    return run(
      `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at)
       VALUES ($1, $2, 'mine', 'read-and-write', 'lk', $3, $4, now() - $5 * interval '1 day', now() + interval '90 days')`,
      id,
      ownerId,
      randomBytes(12).toString('hex'),
      createHash('sha256').update(secret).digest(),
      createdDaysAgo,
    );
  };

  test('is detected when they undo a revocation, insert a key and add a permission', async () => {
    const owner = await newOwner(app, { permissions: ['systems:read'] });
    const { key: untouched } = await createKey(app, owner.id);
    const undone = await revoked(owner.id);
    await seal();
    expect(await verify()).toMatchObject({ code: 0 });

    const slippedIn = randomUUID();
    await run('UPDATE api_keys SET revoked_at = NULL WHERE id = $1', undone.id);
    await insertKey(owner.id, slippedIn);
    await run(`UPDATE accounts SET permissions = '{systems:read,systems:write}' WHERE id = $1`, owner.id);
    await app.validateKey.execute({
      credential: 'lk_nonsense',
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    await seal();

    const { code, lines } = await verify();
    const [revocation] = await run(`SELECT id FROM audit_events WHERE type = 'api_key.revoked'`);
    expect(code).toBe(1);
    expect(lines[0]).toBe('BROKEN: 3 differences between the audit trail and the stored keys and accounts');
    expect(lines.slice(1).sort()).toEqual(
      [
        `    key ${undone.id} is not revoked, although event ${revocation!['id']} revoked it`,
        `    key ${slippedIn} has no event that created it`,
        `    account ${owner.id} has systems:write, which no event gave`,
      ].sort(),
    );
    expect(lines.join()).not.toContain(untouched.id);
    const json = await verify('--json');
    expect([json.code, JSON.parse(json.lines[0]!)]).toEqual([
      1,
      {
        intact: false,
        problem: '3 differences between the audit trail and the stored keys and accounts',
        differences: expect.arrayContaining([
          { subject: 'key', id: slippedIn, problem: 'has no event that created it' },
          { subject: 'account', id: owner.id, problem: 'has systems:write, which no event gave' },
        ]),
        moreDifferences: 0,
      },
    ]);
    if (process.env['LATCHKEY_FIGURES'] === '1') console.log(lines.join('\n'));
  });

  test.each<[string, (keyId: string) => Promise<unknown>, string]>([
    [
      'raises its access',
      (id) => run(`UPDATE api_keys SET access = 'read-and-write' WHERE id = $1`, id),
      'is read-and-write; event 2 created it as read-only',
    ],
    [
      'replaces its secret',
      (id) => run(`UPDATE api_keys SET digest = sha256('mine') WHERE id = $1`, id),
      'has another secret than event 2 created it with',
    ],
    [
      'gives it to another owner',
      async (id) => {
        await newOwner(app, { id: 'rich' });
        await run(`UPDATE api_keys SET owner_id = 'rich' WHERE id = $1`, id);
      },
      'belongs to rich; event 2 created it for poor',
    ],
    [
      'extends its expiry',
      (id) => run(`UPDATE api_keys SET expires_at = expires_at + interval '9 days' WHERE id = $1`, id),
      expect.stringMatching(/^expires at \S+Z; event 2 created it until \S+Z$/) as unknown as string,
    ],
    [
      'adds permissions to it',
      (id) => run(`UPDATE api_keys SET permissions = '{systems:write}' WHERE id = $1`, id),
      'has permissions [systems:write]; event 2 created it with no list',
    ],
    [
      'adds allowed networks to it',
      (id) => run(`UPDATE api_keys SET allowed_networks = '{10.0.0.0/8}' WHERE id = $1`, id),
      'has allowed networks [10.0.0.0/8]; event 2 created it with no list',
    ],
    [
      'removes its expiry',
      (id) => run(`UPDATE api_keys SET expires_at = 'infinity' WHERE id = $1`, id),
      'lives longer than 365 days, which is the maximum',
    ],
    ['deletes it', (id) => run('DELETE FROM api_keys WHERE id = $1', id), 'has events, but is not stored any more'],
    [
      'revokes it without an event',
      (id) => run('UPDATE api_keys SET revoked_at = now() WHERE id = $1', id),
      'is revoked, but no event revoked it',
    ],
  ])('that takes a key and %s is detected', async (_, change, problem) => {
    await newOwner(app, { id: 'poor' });
    const { key } = await createKey(app, 'poor', { access: 'read-only' });
    await seal();
    await change(key.id);
    const { code, lines } = await verify('--json');
    expect(code).toBe(1);
    const { differences } = JSON.parse(lines[0]!) as { differences: unknown[] };
    expect(differences).toContainEqual({ subject: 'key', id: key.id, problem });
  });

  test('is detected when they hide a key or an account that is in use from everybody who could stop it', async () => {
    const [hidden, { id }] = [await newOwner(app), await newOwner(app)];
    const { key } = await createKey(app, id);
    await seal();
    await run('UPDATE accounts SET purged = true WHERE id = $1', hidden.id);
    await run('UPDATE api_keys SET purged = true WHERE id = $1', key.id);
    const { lines } = await verify();
    expect(lines.slice(1)).toEqual([
      `    key ${key.id} is hidden, as of a purged account, but has not ended`,
      `    account ${hidden.id} is hidden, as if it were purged; event 1 left it active`,
    ]);
  });

  test('is detected when they lift a suspension or delete an account', async () => {
    const [lifted, deleted] = [await newOwner(app), await newOwner(app)];
    await app.changeAccount.suspend(lifted.id);
    await seal();
    await run(`UPDATE accounts SET status = 'active' WHERE id = $1`, lifted.id);
    await run('DELETE FROM accounts WHERE id = $1', deleted.id);
    const { lines } = await verify();
    expect(lines.slice(1).sort()).toEqual(
      [
        `    account ${lifted.id} is active; event 3 left it suspended`,
        `    account ${deleted.id} has events, but is not stored any more`,
      ].sort(),
    );
  });

  test('is detected when they add a permission that the platform then removes', async () => {
    const owner = await newOwner(app, { permissions: ['a:read'] });
    await run(`UPDATE accounts SET permissions = '{a:read,a:write}' WHERE id = $1`, owner.id);
    await newOwner(app, { id: owner.id, email: owner.email, permissions: ['a:read'] });
    await seal();
    const { lines } = await verify();
    expect(lines.slice(1)).toEqual([`    account ${owner.id} had other permissions at event 2 than event 1 gave`]);
  });

  describe('that takes an account with limits and attributes', () => {
    const limits = { requestsPerSecond: 5, burst: 9, maxAccess: 'read-only' } as const;
    const terms = { limits, attributes: [{ name: 'tenant', value: 'acme' }] };

    test.each([
      ['removes its limits', 'limits = NULL', 'has the limits {}; event 1 left others'],
      [
        'raises a limit',
        `limits = jsonb_set(limits, '{burst}', '100')`,
        'has the limits {"burst":100,"maxAccess":"read-only","requestsPerSecond":5}; event 1 left others',
      ],
      [
        'lifts the ceiling',
        `limits = limits - 'maxAccess'`,
        'has the limits {"burst":9,"requestsPerSecond":5}; event 1 left others',
      ],
      [
        'gives it to another tenant',
        `attributes = '[{"name": "tenant", "value": "globex"}]'`,
        'has the attributes [{"name":"tenant","value":"globex"}]; event 1 left others',
      ],
      ['removes its attributes', 'attributes = NULL', 'has the attributes []; event 1 left others'],
    ])('and %s is detected', async (_, change, problem) => {
      await newOwner(app, { id: 'u1', ...terms });
      const plain = await newOwner(app);
      await seal();
      expect(await verify()).toMatchObject({ code: 0 });
      await run(`UPDATE accounts SET ${change} WHERE id = 'u1'`);
      const { code, lines } = await verify();
      expect([code, ...lines]).toEqual([
        1,
        'BROKEN: 1 difference between the audit trail and the stored keys and accounts',
        `    account u1 ${problem}`,
      ]);
      expect(lines.join()).not.toContain(plain.id);
    });

    test('and changes what the platform then sets back is detected', async () => {
      const { email } = await newOwner(app, { id: 'u1', ...terms });
      await run(`UPDATE accounts SET limits = NULL, attributes = NULL WHERE id = 'u1'`);
      await newOwner(app, { id: 'u1', email, ...terms });
      const { lines } = await verify();
      expect(lines.slice(1)).toEqual([
        '    account u1 had other limits at event 2 than event 1 left',
        '    account u1 had other attributes at event 2 than event 1 left',
      ]);
    });

    test('is not suspected for what the platform and administrators change', async () => {
      const admin = { actorId: 'admin:ada', client: client() };
      const { email } = await newOwner(app, { id: 'u1', ...terms });
      await app.changeAccount.limit('u1', { limits: { maxKeyDays: 7 }, isWhole: false, version: undefined }, admin);
      await app.changeAccount.describe('u1', [], undefined, admin);
      await app.changeAccount.suspend('u1');
      await app.changeAccount.reactivate('u1');
      await newOwner(app, { id: 'u1', email, limits: {}, attributes: terms.attributes });
      await app.changeAccount.purge('u1', 1n, admin);
      expect(await verify()).toMatchObject({ code: 0 });
      await newOwner(app, { id: 'u1', ...terms, version: 2n });
      expect(await verify()).toMatchObject({ code: 0 });
    });
  });

  describe('that takes a service account', () => {
    const bot = { id: 'bot', email: '', displayName: 'CI bot', permissions: ['systems:read'] };
    const manage = async () => {
      for (const id of ['ada', 'bob', 'eve']) await newOwner(app, { id });
      await app.putAccount.execute({ ...bot, kind: 'service', managers: ['ada', 'bob'] });
      const { key } = await createKey(app, 'bot', { access: 'read-only', personId: 'ada' });
      return key.id;
    };

    test.each<[string, string, (keyId: string) => string]>([
      [
        'adds a manager',
        `UPDATE accounts SET managers = '{ada,bob,eve}' WHERE id = 'bot'`,
        () => 'account bot has the managers ["ada","bob","eve"]; event 4 left others',
      ],
      [
        'removes a manager',
        `UPDATE accounts SET managers = '{ada}' WHERE id = 'bot'`,
        () => 'account bot has the managers ["ada"]; event 4 left others',
      ],
      [
        'makes a person of it',
        `UPDATE accounts SET kind = 'person' WHERE id = 'bot'`,
        () => 'account bot has the kind "person"; event 4 left others',
      ],
      [
        'makes a service account of a person',
        `UPDATE accounts SET kind = 'service' WHERE id = 'eve'`,
        () => 'account eve has the kind "service"; event 3 left others',
      ],
      [
        'names another maker of its key',
        `UPDATE api_keys SET created_by = 'eve'`,
        (key) => `key ${key} was made by eve; event 5 created it by ada`,
      ],
      [
        'names no maker of its key',
        `UPDATE api_keys SET created_by = NULL`,
        (key) => `key ${key} was made by its owner; event 5 created it by ada`,
      ],
    ])('and %s is detected', async (_, change, problem) => {
      const keyId = await manage();
      await seal();
      expect(await verify()).toMatchObject({ code: 0 });
      await run(change);
      const { code, lines } = await verify();
      expect([code, ...lines]).toEqual([
        1,
        'BROKEN: 1 difference between the audit trail and the stored keys and accounts',
        `    ${problem(keyId)}`,
      ]);
    });

    test('and adds a manager whom the platform then removes is detected', async () => {
      await manage();
      await run(`UPDATE accounts SET managers = '{ada,bob,eve}' WHERE id = 'bot'`);
      await app.putAccount.execute({ ...bot, managers: ['ada', 'bob'] });
      expect((await verify()).lines.slice(1)).toEqual([
        '    account bot had other managers at event 6 than event 4 left',
      ]);
    });

    test('is not suspected for what managers and the platform do', async () => {
      const keyId = await manage();
      const asBob = { personId: 'bob', ownerId: 'bot' };
      await rotateKey(app, { ownerId: 'bot', id: keyId }, asBob);
      await app.putAccount.execute({ ...bot, managers: ['bob', 'eve'] });
      await app.changeAccount.purge('bob', undefined, { actorId: 'admin:ada', client: client() });
      await createKey(app, 'eve');
      expect(await verify()).toMatchObject({ code: 0 });
      await app.changeAccount.purge('bot', undefined, { actorId: 'admin:ada', client: client() });
      await newOwner(app, { id: 'bot', version: 1n });
      expect(await verify()).toMatchObject({ code: 0 });
    });
  });

  test('is detected when they insert a key that is older than the audit trail', async () => {
    const owner = await newOwner(app);
    await seal();
    await insertKey(owner.id, undefined, 400);
    const { lines } = await verify();
    expect(lines.slice(1).map((line) => line.replace(/^ {4}key \S+ /, ''))).toEqual([
      'has no event that created it',
      'lives longer than 365 days, which is the maximum',
    ]);
  });

  test('cannot put control characters on the terminal', async () => {
    await newOwner(app, { id: 'u1', permissions: [] });
    await seal();
    await run(`UPDATE accounts SET permissions = ARRAY[E'\\x1b[2J:read'] WHERE id = 'u1'`);
    expect((await verify()).lines.slice(1)).toEqual(['    account u1 has �[2J:read, which no event gave']);
  });

  test('can insert a key with an event, but cannot delete that event once it is sealed', async () => {
    const owner = await newOwner(app);
    const keyId = randomUUID();
    await insertKey(owner.id, keyId);
    await run(
      `INSERT INTO audit_events (type, owner_id, key_id, actor_id) VALUES ('api_key.created', $1, $2, $1)`,
      owner.id,
      keyId,
    );
    await seal();
    expect((await verify()).code).toBe(0);
    await tamper(`DELETE FROM audit_events WHERE key_id = '${keyId}'`);
    expect((await verify()).lines[0]).toMatch(/^BROKEN: seal 1, .*: the number of events is \d+ instead of \d+$/);
  });
});
