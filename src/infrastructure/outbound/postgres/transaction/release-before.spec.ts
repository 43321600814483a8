import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  newOwner,
  openOnOwnDatabase,
  type OwnApplication,
} from '#test/support/application/application.js';
import { compareWithAuditTrail } from '#application/audit/compare-with-audit-trail.js';
import { type AccountStatus, ownerDenial } from '#domain/accounts/account.js';

const SERVICE = { perSecond: 20, burst: 100 };
let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase({ rateLimit: SERVICE });
});
afterAll(() => app.close());

const LIMITS = { requestsPerSecond: 5, burst: 9, maxAccess: 'read-only' } as const;
const ATTRIBUTES = [{ name: 'tenant', value: 'acme' }];
const BOTH = { limits: LIMITS, attributes: ATTRIBUTES };
const OWNED = ['systems:read'];
const ADMIN = { actorId: 'admin:ada', client: client() };

async function newKey(terms: Partial<typeof BOTH>) {
  const owner = await newOwner(app, { ...terms, permissions: OWNED });
  const { fullKey, key } = await createKey(app, owner.id, { access: 'read-only' });
  return { id: owner.id, fullKey, publicPart: key.snapshot().publicPart };
}

async function outcomeOf(fullKey: string) {
  const question = { operation: 'read', permission: 'systems:read', clientAddress: undefined } as const;
  const { verdict, rate } = await app.validateKey.execute({ credential: fullKey, question, client: client() });
  return verdict.granted ? { attributes: verdict.attributes, burst: rate?.limit.burst } : verdict.reason;
}

/** What the release before reads of an owner, and what it answers, for a key that is right in every other way. */
const OLD_READ = `
  SELECT a.status, array_to_string(a.permissions, ' ') AS permissions
  FROM api_keys k LEFT JOIN accounts a ON a.id = k.owner_id WHERE k.public_part = $1`;
async function outcomeAtTheReleaseBefore(publicPart: string): Promise<string> {
  const [owner] = await app.sql<{ status: AccountStatus }>(OLD_READ, [publicPart]);
  return owner!.status === 'active' ? 'granted' : ownerDenial(owner!.status);
}

/** How the release before saves an account: every column that it knows, with the status that it read or its own. */
const OLD_SAVE = `
  UPDATE accounts SET email = $2, email_key = $2, display_name = 'Old', permissions = '{}', password_hash = NULL,
    status = coalesce($3, status), version = version + 1, purged = false WHERE id = $1`;
const saveAsBefore = (id: string, status: AccountStatus | null) => app.sql(OLD_SAVE, [id, `${id}@old.example`, status]);
const OLD_PURGE = `
  UPDATE accounts SET email = '', email_key = NULL, display_name = '', permissions = '{}', password_hash = NULL,
    status = 'deleted', purged = true WHERE id = $1`;
const OLD_INSERT = `
  INSERT INTO accounts (id, email, email_key, display_name, permissions, password_hash, status, version, purged)
  VALUES ($1::text, $1::text, $1::text, '', '{}', NULL, 'active', 0, false)`;

const stored = async (id: string) => {
  const [row] = await app.sql('SELECT status, limits, attributes FROM accounts WHERE id = $1', [id]);
  return row;
};
/** How many active accounts have a status that lies about their limits and attributes. */
async function misstated(): Promise<number> {
  const wrong = await app.sql(
    `SELECT FROM accounts WHERE status = 'active' AND (limits IS NOT NULL OR attributes IS NOT NULL)
       OR status = 'active+' AND limits IS NULL AND attributes IS NULL`,
  );
  return wrong.length;
}

describe('next to an instance of the release before', () => {
  test.each<[string, Partial<typeof BOTH>]>([
    ['limits', { limits: LIMITS }],
    ['attributes', { attributes: ATTRIBUTES }],
    ['both', BOTH],
  ])('keys of an account with %s are refused there and granted here', async (_, terms) => {
    const { fullKey, publicPart } = await newKey(terms);
    expect(await outcomeAtTheReleaseBefore(publicPart)).toBe('owner-suspended');
    const burst = terms.limits?.burst ?? SERVICE.burst;
    expect(await outcomeOf(fullKey)).toEqual({ attributes: terms.attributes ?? [], burst });
  });

  test('keys of an account without them are granted on both, also after they are removed', async () => {
    const { id, fullKey, publicPart } = await newKey({});
    expect(await outcomeAtTheReleaseBefore(publicPart)).toBe('granted');
    expect(await outcomeOf(fullKey)).toEqual({ attributes: [], burst: SERVICE.burst });
    await app.changeAccount.limit(id, { limits: LIMITS, isWhole: true, version: undefined }, ADMIN);
    expect(await outcomeAtTheReleaseBefore(publicPart)).toBe('owner-suspended');
    await app.changeAccount.limit(id, { limits: {}, isWhole: true, version: undefined }, ADMIN);
    expect([await outcomeAtTheReleaseBefore(publicPart), await misstated()]).toEqual(['granted', 0]);
  });

  test.each<[string, (AccountStatus | null)[], string]>([
    ['puts', [null], 'active+'],
    ['suspends', ['suspended'], 'suspended'],
    ['suspends and reactivates', ['suspended', 'active'], 'active+'],
    ['deletes, puts and reactivates', ['deleted', null, 'active'], 'active+'],
    ['reactivates', ['active'], 'active+'],
  ])('limits and attributes survive when it %s an account', async (_, statuses, left) => {
    const { id, fullKey, publicPart } = await newKey(BOTH);
    for (const status of statuses) {
      await saveAsBefore(id, status);
      expect(await misstated()).toBe(0);
      expect(await outcomeAtTheReleaseBefore(publicPart)).not.toBe('granted');
    }
    expect(await stored(id)).toEqual({ status: left, ...BOTH });
    await app.changeAccount.reactivate(id);
    expect(await stored(id)).toEqual({ status: 'active+', ...BOTH });
    // It also took away the permissions.
    expect(await outcomeOf(fullKey)).toBe('missing-permission');
  });

  test('nothing is left when it purges an account, opens the id again, or opens a new one', async () => {
    const { id } = await newKey(BOTH);
    await app.sql(OLD_PURGE, [id]);
    expect(await stored(id)).toEqual({ status: 'deleted', limits: null, attributes: null });
    await saveAsBefore(id, 'active');
    await app.sql(OLD_INSERT, [`${id}-2`]);
    for (const each of [id, `${id}-2`]) {
      expect(await stored(each)).toEqual({ status: 'active', limits: null, attributes: null });
    }
    expect(await misstated()).toBe(0);
  });

  test('the audit trail agrees with an account that it changed, purged and opened again', async () => {
    const { id } = await newKey(BOTH);
    const record = (type: string, before: string[]) =>
      app.sql(`INSERT INTO audit_events (type, owner_id, details) VALUES ($1, $2, $3)`, [
        type,
        id,
        JSON.stringify({ permissions: { before, after: [] } }),
      ]);
    const differences = async () => {
      const found = await app.auditTrail.read((trail) => compareWithAuditTrail(trail, undefined));
      return found.differences.filter((each) => each.id === id);
    };
    await saveAsBefore(id, null);
    await record('account.changed', OWNED);
    expect(await differences()).toEqual([]);
    await app.sql(OLD_PURGE, [id]);
    await record('account.purged', []);
    expect(await differences()).toEqual([]);
    await saveAsBefore(id, 'active');
    await record('account.created', []);
    expect(await differences()).toEqual([]);
  });
});

test('the status of an account shows its limits and attributes, also if they are written into the database', async () => {
  const { id } = await newKey({});
  const steps = [
    [`limits = '{"burst": 3}'`, 'active+'],
    [`attributes = '[{"name": "tenant", "value": "acme"}]', limits = NULL`, 'active+'],
    [`attributes = NULL, status = 'active+'`, 'active'],
    [`status = 'suspended', limits = '{"burst": 3}'`, 'suspended'],
    [`status = 'active'`, 'active+'],
  ];
  for (const [change, status] of steps) {
    await app.sql(`UPDATE accounts SET ${change} WHERE id = $1`, [id]);
    expect([await stored(id), await misstated()]).toMatchObject([{ status }, 0]);
  }
});
