import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  newOwner,
  openOnOwnDatabase,
  type OwnApplication,
  rotateKey,
} from '#test/support/application/application.js';
import { compareWithAuditTrail } from '#application/audit/compare-with-audit-trail.js';
import type { CreateApiKeyCommand } from '#application/keys/make-api-keys.js';
import { digestMatches, KeyString } from '#domain/keys/key-string.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app.close());

const CHOSEN = { permissions: ['systems/1:read'], allowedNetworks: ['10.0.0.0/8', '2001:db8::/32'] } as const;
const create = async (chosen: Partial<CreateApiKeyCommand> = CHOSEN) =>
  createKey(app, (await newOwner(app)).id, chosen);

async function outcomeAt(fullKey: string, clientAddress: string): Promise<string> {
  const question = { operation: 'read', permission: 'systems/1:read', clientAddress } as const;
  const { verdict } = await app.validateKey.execute({ credential: fullKey, question, client: client() });
  return verdict.granted ? 'granted' : verdict.reason;
}

/** What the release before, which knows no restrictions, reads of a key and compares with the key string's SHA-256. */
const OLD_READ = `
  SELECT k.id, k.owner_id, k.access, k.digest, a.status, array_to_string(a.permissions, ' ') AS permissions
  FROM api_keys k LEFT JOIN accounts a ON a.id = k.owner_id WHERE k.public_part = $1`;
async function isRightForTheReleaseBefore(fullKey: string): Promise<boolean> {
  const keyString = KeyString.parse(fullKey, 'lk')!;
  const [row] = await app.sql<{ digest: Buffer }>(OLD_READ, [keyString.publicPart]);
  return digestMatches(keyString.digest(), row!.digest);
}

/** How the release before stores the successor of a key. */
const OLD_SUCCESSOR = `
  INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at, replaces, grace_seconds, purged)
  SELECT $2::uuid, owner_id, name, access, key_prefix, substr(md5($2::uuid::text), 1, 24), sha256($2::uuid::text::bytea), created_at, expires_at, id, 60, false
  FROM api_keys WHERE id = $1`;
const replaceAsTheReleaseBefore = (id: string) => app.sql(OLD_SUCCESSOR, [id, randomUUID()]);
const successorsOf = async (id: string) => (await app.sql('SELECT FROM api_keys WHERE replaces = $1', [id])).length;

test('a key with restrictions is read with them, in the one statement for all keys', async () => {
  const { key, fullKey } = await create();
  expect(key.snapshot()).toMatchObject(CHOSEN);
  expect((await app.keys.find(key.id))!.snapshot()).toEqual(key.snapshot());
  expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('granted');
  expect(await outcomeAt(fullKey, '2001:db8::7')).toBe('granted');
  expect(await outcomeAt(fullKey, '11.1.2.3')).toBe('address-not-allowed');
});

describe('next to an instance of the release before', () => {
  test.each([CHOSEN, { permissions: ['systems:read'] }, { allowedNetworks: ['10.0.0.0/8'] }])(
    'a key with %j has a wrong secret there, and the right one here',
    async (chosen) => {
      const { fullKey } = await create(chosen);
      expect(await isRightForTheReleaseBefore(fullKey)).toBe(false);
      expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('granted');
    },
  );

  test('a key that was ever paused has a wrong secret there, and the right one here', async () => {
    for (const chosen of [{}, CHOSEN]) {
      const { key, fullKey } = await create(chosen);
      const { ownerId, id } = key;
      await app.pauseKey.execute(ownerId, id, 5, { actorId: null, client: client() });
      expect(await isRightForTheReleaseBefore(fullKey)).toBe(false);
      expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('paused');
      await app.pauseKey.execute(ownerId, id, null, { actorId: null, client: client() });
      expect(await isRightForTheReleaseBefore(fullKey)).toBe(false);
      expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('granted');
    }
  });

  test('a key without restrictions is right on both', async () => {
    const { key, fullKey } = await create({});
    expect(await isRightForTheReleaseBefore(fullKey)).toBe(true);
    await replaceAsTheReleaseBefore(key.id);
    expect(await successorsOf(key.id)).toBe(1);
  });

  test.each([CHOSEN, { permissions: ['systems:read'] }, { allowedNetworks: ['10.0.0.0/8'] }])(
    'a key with %j can be rotated only here',
    async (chosen) => {
      const { key } = await create(chosen);
      const refused = { code: '23514', constraint: 'api_keys_keep_restrictions' };
      await expect(replaceAsTheReleaseBefore(key.id)).rejects.toMatchObject(refused);
      expect(await successorsOf(key.id)).toBe(0);
      const { key: successor, fullKey } = await rotateKey(app, key.snapshot());
      expect(successor.snapshot()).toMatchObject(chosen);
      expect(await isRightForTheReleaseBefore(fullKey)).toBe(false);
      expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('granted');
    },
  );
});

test.each([
  'permissions = NULL',
  'allowed_networks = NULL',
  'permissions = NULL, allowed_networks = NULL',
  `permissions = '{systems:read}'`,
  `permissions = permissions || '{systems:write}'`,
  `allowed_networks = '{0.0.0.0/1,128.0.0.0/1}'`,
  `allowed_networks = '{}'`,
])('a key is refused everywhere once somebody writes %s into the database', async (change) => {
  const { key, fullKey } = await create();
  await app.sql(`UPDATE api_keys SET ${change} WHERE id = $1`, [key.id]);
  expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('invalid-key');
  expect(await isRightForTheReleaseBefore(fullKey)).toBe(false);
});

test('a reported key string proves a key with restrictions too', async () => {
  const { key, fullKey } = await create();
  const leaked = await app.revokeKeys.leakedIn(`token: ${fullKey}`, { actorId: 'admin:ada', client: client() });
  expect(leaked.map((each) => [each.key.id, each.was])).toEqual([[key.id, 'active']]);
  expect(await outcomeAt(fullKey, '10.1.2.3')).toBe('revoked');
});

test('a key with restrictions and its successor agree with their events, until somebody changes a restriction', async () => {
  const { key } = await create();
  const { key: successor } = await rotateKey(app, key.snapshot());
  const problems = async () => {
    const { differences } = await app.auditTrail.read((trail) => compareWithAuditTrail(trail, undefined));
    return differences.filter(({ id }) => id === key.id || id === successor.id).map(({ problem }) => problem);
  };
  expect(await problems()).toEqual([]);
  await app.sql(`UPDATE api_keys SET permissions = NULL WHERE id = $1`, [key.id]);
  await app.sql(`UPDATE api_keys SET allowed_networks = '{::/1}' WHERE id = $1`, [successor.id]);
  expect((await problems()).sort()).toEqual([
    expect.stringMatching(/^has allowed networks \[::\/1\]; event \d+ created it with \[10.0.0.0\/8 2001:db8::\/32\]$/),
    expect.stringMatching(/^has permissions no list; event \d+ created it with \[systems\/1:read\]$/),
  ]);
});
