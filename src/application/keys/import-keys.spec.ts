import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  rotateKey,
  SERVICE_POLICY,
  themselves,
} from '#test/support/application/calls.js';
import { eventsOf } from '#test/support/application/stored.js';
import type { ImportedLine } from '#domain/keys/imported-key.js';
import { DAY_MS } from '#domain/time.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { rehearsed as rehearsedAccounts } from '../with-transactions.js';
import { ImportKeys, type ImportOutcome } from './import-keys.js';

const app = openFakes({ settings: { importPrefixes: ['acme_live_'] } });
const ACTOR = { actorId: 'service:importer', client: client() };

const keyOfAnother = () => `acme_live_${randomBytes(16).toString('hex')}`;
const lineOf = (text: string, ownerId: string, part: Partial<ImportedLine> = {}): ImportedLine => ({
  ownerId,
  name: 'CI deploy',
  access: 'read-and-write',
  sha256: createHash('sha256').update(text).digest(),
  displayPrefix: text.slice(0, 12),
  expiresAt: new Date(app.store.now().getTime() + 30 * DAY_MS),
  permissions: ['*'],
  allowedNetworks: [],
  ...part,
});
const imported = (...lines: ImportedLine[]) => app.importKeys.execute(lines, ACTOR);
const refusals = (outcomes: readonly ImportOutcome[]) =>
  outcomes.map((outcome) => ('refused' in outcome ? outcome.refused.message : ''));
const idOf = (outcome: ImportOutcome | undefined) => (outcome && 'keyId' in outcome ? outcome.keyId : undefined);
const verdictOn = async (credential: string) => {
  const { verdict } = await app.validateKey.execute({
    credential,
    question: { operation: 'read', permission: '' },
    client: client(),
  });
  return verdict.granted ? verdict.keyId : verdict.reason;
};

async function importedKey(ownerId: string) {
  const text = keyOfAnother();
  const [outcome] = await imported(lineOf(text, ownerId));
  return { text, id: idOf(outcome)! };
}

describe('ImportKeys', () => {
  test('makes keys that work with strings of another system, and records each on the audit trail', async () => {
    const { id } = await newOwner(app);
    const { text, id: keyId } = await importedKey(id);
    expect(await verdictOn(text)).toBe(keyId);
    expect(await imported(lineOf(keyOfAnother(), id))).toMatchObject([{ isNew: true }]);
    expect(eventsOf(app, id, 'api_key.created').slice(0, 1)).toMatchObject([{ keyId, actorId: 'service:importer' }]);
    expect(JSON.parse(eventsOf(app, id, 'api_key.created')[0]!.details!)).toMatchObject({ imported: true });
    expect(
      [...app.store.outbox.values()].some(({ type, data }) => type === 'api_key.created' && data.keyId === keyId),
    ).toBe(true);
  });

  test('refuses bad lines one by one, and imports the others', async () => {
    const { id } = await newOwner(app);
    const [first, last] = [keyOfAnother(), keyOfAnother()];
    const outcomes = await imported(
      lineOf(first, id),
      lineOf(keyOfAnother(), id, { name: '' }),
      lineOf(keyOfAnother(), 'nobody'),
      lineOf(keyOfAnother(), id, { permissions: ['billing:read'] }),
      lineOf(last, id),
    );
    expect(refusals(outcomes)).toEqual([
      '',
      'name must not be empty',
      'no account has this owner_id',
      expect.stringContaining('permissions holds "billing:read"'),
      '',
    ]);
    expect([await verdictOn(first), await verdictOn(last)]).toEqual([idOf(outcomes[0]), idOf(outcomes[4])]);
  });

  test('changes nothing when a key is sent again, and revives none that has ended', async () => {
    const { id } = await newOwner(app);
    const { text, id: keyId } = await importedKey(id);
    const again = lineOf(text, id, { name: 'Other name', access: 'read-only' });
    expect(await imported(again, again)).toEqual([
      { keyId, isNew: false },
      { keyId, isNew: false },
    ]);
    expect(app.store.keys.get(keyId)!.state).toMatchObject({ name: 'CI deploy', access: 'read-and-write' });
    await app.changeKeysOfOwner.revoke(themselves(id), keyId, client());
    expect(await imported(again)).toEqual([{ keyId, isNew: false }]);
    expect(await verdictOn(text)).toBe('revoked');
    expect(eventsOf(app, id, 'api_key.created')).toHaveLength(1);
  });

  test('makes one key of a line that is sent twice at once', async () => {
    const { id } = await newOwner(app);
    const line = lineOf(keyOfAnother(), id);
    const [one, other] = await imported(line, line);
    expect([idOf(one), other]).toEqual([expect.any(String), { keyId: idOf(one), isNew: false }]);
  });

  test('refuses a key that belongs to somebody else', async () => {
    const [ada, grace] = [await newOwner(app), await newOwner(app)];
    const { text } = await importedKey(ada.id);
    expect(refusals(await imported(lineOf(text, grace.id)))).toEqual(['sha256 belongs to a key of another owner']);
  });

  test('takes keys of a suspended owner, who gets them back when reactivated, and none of a deleted one', async () => {
    const { id } = await newOwner(app);
    await app.changeAccount.suspend(id);
    const { text, id: keyId } = await importedKey(id);
    expect(await verdictOn(text)).toBe('owner-suspended');
    await app.changeAccount.reactivate(id);
    expect(await verdictOn(text)).toBe(keyId);
    await app.changeAccount.delete(id);
    expect(refusals(await imported(lineOf(keyOfAnother(), id)))).toEqual(['no account has this owner_id']);
  });

  test('may exceed the number of active keys, which the outcomes say, and then no new key can be made', async () => {
    const { id } = await newOwner(app);
    await createKey(app, id);
    const outcomes = await imported(...Array.from({ length: 6 }, () => lineOf(keyOfAnother(), id)));
    expect(refusals(outcomes).filter(Boolean)).toEqual([]);
    expect(outcomes.map((outcome) => 'isNew' in outcome && outcome.aboveLimit)).toEqual([
      ...new Array(4).fill(undefined),
      { activeKeys: 6, maxActiveKeys: 5 },
      { activeKeys: 7, maxActiveKeys: 5 },
    ]);
    expect(await outcomeOf(createKey(app, id))).toBe('too_many_active_keys');
  });

  test('makes keys that can each be rotated by an owner above the number of active keys, also as leaked', async () => {
    const { id } = await newOwner(app);
    const keyIds = (await imported(...Array.from({ length: 7 }, () => lineOf(keyOfAnother(), id)))).map(idOf);
    for (const [index, keyId] of keyIds.entries()) {
      const leaked = index % 2 === 1 ? { leaked: true, graceSeconds: undefined } : {};
      expect(await outcomeOf(rotateKey(app, app.store.keys.get(keyId!)!.state, leaked))).toBe('ok');
    }
  });

  test('makes keys that can be rotated into our own, and revoked as leaked', async () => {
    const { id } = await newOwner(app);
    const [old, leaked] = [await importedKey(id), await importedKey(id)];
    const next = await rotateKey(app, app.store.keys.get(old.id)!.state);
    expect(next.fullKey).toMatch(/^lk_/);
    expect([await verdictOn(next.fullKey), await verdictOn(old.text)]).toEqual([next.key.id, old.id]);
    const text = `curl -H "Authorization: Bearer ${leaked.text}".`;
    expect(await app.revokeKeys.leakedIn(text, ACTOR)).toHaveLength(1);
    expect(await verdictOn(leaked.text)).toBe('revoked');
  });

  test('does not count towards the changes that an account may make in an hour', async () => {
    const limited = openFakes({ settings: { importPrefixes: ['acme_live_'], keyChangesPerHour: 1 } });
    const { id } = await newOwner(limited);
    await limited.importKeys.execute([lineOf(keyOfAnother(), id), lineOf(keyOfAnother(), id)], ACTOR);
    expect(await outcomeOf(createKey(limited, id))).toBe('ok');
    expect(await outcomeOf(createKey(limited, id))).toBe('too_many_changes');
  });

  test('is refused for an account that may have no new keys', async () => {
    const { id } = await newOwner(app, { limits: { noNewKeys: true } });
    const [outcome] = await app.importKeys.execute([lineOf(keyOfAnother(), id)], ACTOR);
    expect(outcome).toMatchObject({ refused: { code: 'keys_not_allowed' } });
  });

  test('is refused altogether without IMPORT_PREFIXES, and its keys are no longer looked up', async () => {
    const { id } = await newOwner(app);
    const { text } = await importedKey(id);
    const without = openFakes({ store: app.store });
    const reads: string[] = [];
    without.importReader.read = async (publicPart) => {
      reads.push(publicPart);
      return app.keyReader.read(publicPart);
    };
    const { verdict } = await without.validateKey.execute({
      credential: text,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    expect([verdict, reads]).toMatchObject([{ reason: 'invalid-key' }, []]);
    expect(refusals(await without.importKeys.execute([lineOf(keyOfAnother(), id)], ACTOR))[0]).toMatch(
      /IMPORT_PREFIXES/,
    );
  });
});

describe('A rehearsed import', () => {
  test('counts the keys of an owner over all batches of a dry run', async () => {
    const rehearsed = openFakes();
    const { id: ownerId } = await newOwner(rehearsed);
    const rules = { importPrefixes: ['acme_'], policy: SERVICE_POLICY, marker: 'lk' };
    const rehearsal = new ImportKeys(rehearsedAccounts(rehearsed.accounts), rules, true);
    const outcomes = [];
    for (let batch = 0; batch < 3; batch += 1) {
      const lines = [1, 2].map((line) => lineOf(`acme_live_${batch}.${line}`, ownerId));
      outcomes.push(...(await rehearsal.execute(lines, ACTOR)));
    }
    expect(outcomes.slice(4)).toMatchObject([{ isNew: true }, { aboveLimit: { activeKeys: 6, maxActiveKeys: 5 } }]);
    expect(outcomes.filter((outcome) => 'aboveLimit' in outcome)).toHaveLength(1);
    expect(rehearsed.store.keys.size).toBe(0);
  });

  test('has the outcomes of the import, and stores nothing', async () => {
    const rehearsed = openFakes();
    const { id: ownerId } = await newOwner(rehearsed);
    const rules = { importPrefixes: ['acme_'], policy: SERVICE_POLICY, marker: 'lk' };
    const really = new ImportKeys(rehearsed.accounts, rules, false);
    const rehearsal = new ImportKeys(rehearsedAccounts(rehearsed.accounts), rules, true);
    const lines = [
      lineOf('acme_live_one', ownerId),
      lineOf('acme_live_two', ownerId),
      lineOf('acme_live_three', 'nobody'),
    ];
    await really.execute([lines[0]!], ACTOR);
    const stored = () => [rehearsed.store.keys.size, rehearsed.store.events.length, rehearsed.store.outbox.size];
    const before = stored();
    const outcomes = await rehearsal.execute(lines, ACTOR);
    expect(outcomes).toMatchObject([
      { isNew: false },
      { isNew: true },
      { refused: { message: 'no account has this owner_id' } },
    ]);
    expect(stored()).toEqual(before);
  });
});

describe('a key from code', () => {
  const ACTOR = { actorId: 'service:ci', actorKind: 'service', client: NO_CLIENT } as const;
  const issuer = (...scope: string[]) => ({ actor: ACTOR, scope });

  async function world() {
    const app = openFakes();
    const ada = await newOwner(app);
    const bot = (id: string, version?: bigint) =>
      newOwner(app, { id, kind: 'service', managers: [ada.id], passwordHash: undefined, email: '', version });
    await bot('bot');
    await bot('other');
    const order = (accountId: string) => ({
      ...{ accountId, name: 'CI', access: 'read-only', expiresInDays: 0, idempotencyKey: '' },
      ...{ permissions: ['*'], allowedNetworks: [] },
    });
    const create = (accountId: string, ...scope: string[]) =>
      app.keysFromCode.create(order(accountId), issuer(...scope));
    return { app, ada, bot, create };
  }

  test.each([
    ['bot', ['bot'], 'ok'],
    ['bot', ['*'], 'ok'],
    ['bot', ['other', 'bot'], 'ok'],
    ['bot', ['other'], 'account_not_found'],
    ['bot', ['bo'], 'account_not_found'],
    ['bot', [], 'account_not_found'],
    ['nobody', ['*'], 'account_not_found'],
  ])('of the account %s is for an issuer for %j: %s', async (account, scope, outcome) => {
    const { create } = await world();
    expect(await outcomeOf(create(account, ...scope))).toBe(outcome);
  });

  test('is made by the issuer, on the audit trail and in lists', async () => {
    const { app, create } = await world();
    const { key, createdBy } = await create('bot', 'bot');
    expect([key.createdBy, createdBy.id]).toEqual(['service:ci', 'service:ci']);
    const events = app.store.events.filter(({ keyId }) => keyId === key.id);
    expect(events.map(({ type, actorId }) => [type, actorId])).toEqual([['api_key.created', 'service:ci']]);
  });

  test('is neither made, rotated nor revoked for a person, whatever the issuer is for', async () => {
    const { app, ada, create } = await world();
    const { key } = await createKey(app, ada.id);
    const rotation = { keyId: key.id, idempotencyKey: '' };
    expect(await outcomeOf(create(ada.id, ada.id))).toBe('not_a_service_account');
    expect(await outcomeOf(app.keysFromCode.rotate(rotation, issuer('*')))).toBe('not_a_service_account');
    expect(await outcomeOf(app.keysFromCode.revoke(key.id, issuer('*', ada.id)))).toBe('not_found');
  });

  test('of a purged account is no key of the account that has its id now', async () => {
    const { app, bot, create } = await world();
    const { key } = await create('bot', 'bot');
    await app.changeAccount.purge('bot', undefined, ACTOR);
    await bot('bot', 1n);
    const rotation = { keyId: key.id, idempotencyKey: '' };
    expect(await outcomeOf(app.keysFromCode.rotate(rotation, issuer('bot')))).toBe('not_found');
    expect(await app.keysFromCode.revoke(key.id, issuer('bot'))).toBe(0);
  });
});
