// `node bench/all-keys.mjs [keys [shape…]]`: how long PostgreSQL takes for a page of the keys of all owners, by each filter, and
// which plan it chooses. Fills a database of its own, with keys that end at random times, and with those that are hard to
// find: the oldest.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readDatabase } from '../dist/config/database-config.js';
import { EnvReader } from '../dist/config/env-reader.js';
import { Primary } from '../dist/infrastructure/outbound/postgres/client/primary.js';
import { Database } from '../dist/infrastructure/outbound/postgres/client/database.js';
import { connectMigrated, migrateDatabase } from '../dist/infrastructure/outbound/postgres/open-database.js';
import { PostgresApiKeys } from '../dist/infrastructure/outbound/postgres/keys/api-keys.js';
import { keyPage } from '../dist/infrastructure/outbound/postgres/keys/key-page.js';
import { PostgresKeyUsage } from '../dist/infrastructure/outbound/postgres/usage/key-usage.js';
import { startEmbeddedPostgres } from '../scripts/embedded-postgres.mjs';
import { connected } from './lib/database.mjs';
import { median } from './lib/statistics.mjs';

const KEYS = Number(process.argv[2] ?? 1_000_000);
/** All, unless some are named. */
const NAMED = process.argv.slice(3);
const OWNERS = KEYS / 5;
const RUNS = 7;
const PAGE = 50;
const DAY_MS = 86_400_000;

/**
 * In SQL, of key `n` from 0 (oldest) to 1 (newest): how many days ago it was made, how many days it lasts, how likely it
 * was revoked; and when it was last used, if at all.
 */
const SHAPES = {
  /** Two years of keys, half of them for 90 days. */
  random: {
    age: '730 * (1 - n)',
    days: 'CASE WHEN random() < 0.5 THEN 90 ELSE 1 + floor(random() * 365) END',
    revoked: '0.1',
    lastUse:
      'CASE WHEN random() < 0.85 THEN created_at + (coalesce(revoked_at, expired_at, now()) - created_at) * sqrt(random()) END',
  },
  /** None of the other keys was revoked or expires soon, and all keys were used today. */
  'ended are oldest': {
    age: '300 * (1 - n)',
    days: 'CASE WHEN n < 0.01 THEN 1 ELSE 365 END',
    revoked: 'CASE WHEN n < 0.01 THEN 0.5 ELSE 0 END',
    lastUse: 'now()',
  },
  /** All others were revoked or have expired. */
  'active are oldest': {
    age: '2 + 360 * (1 - n)',
    days: 'CASE WHEN n < 0.01 THEN 365 ELSE 1 END',
    revoked: 'CASE WHEN n < 0.01 THEN 0 ELSE 0.5 END',
    lastUse: 'now()',
  },
  /** All are active and for 90 days, so those that expire first are the oldest. */
  'all for 90 days': { age: '89 * (1 - n)', days: '90', revoked: '0', lastUse: 'created_at' },
};
/** @typedef {keyof typeof SHAPES} Shape */

const ACCOUNTS = `
  INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version, kind, managers)
  SELECT 'owner-' || n, email, email, 'Owner ' || n, '{systems:read,systems:write}', 'active', 0,
    CASE WHEN n % 100 = 0 THEN 'service' ELSE 'person' END, CASE WHEN n % 100 = 0 THEN ARRAY['owner-' || (n + 1)] END
  FROM generate_series(0, ${OWNERS - 1}) n, LATERAL (SELECT 'owner-' || n || '@bench.test' AS email) AS named`;

/** In the order in which they were made, as in a service that has run for long. @param {Shape} shape */
function insertKeys(shape) {
  const { age, days, revoked } = SHAPES[shape];
  return `
  INSERT INTO api_keys (id, owner_id, created_by, name, access, key_prefix, public_part, digest, created_at, expires_at,
    revoked_at, expired_at)
  SELECT gen_random_uuid(), 'owner-' || owner, CASE WHEN owner % 100 = 0 THEN 'owner-' || (owner + 1) END, 'bench',
    'read-only', 'lk', substr(md5(i::text || 'bench'), 1, 24), decode(md5(i::text) || md5(i::text), 'hex'), made, ends,
    CASE WHEN is_revoked THEN least(made + (ends - made) * random(), now()) END,
    CASE WHEN NOT is_revoked AND ends <= now() THEN ends END
  FROM (
    SELECT i, i::float8 / ${KEYS} AS n, floor(random() * ${OWNERS})::integer AS owner FROM generate_series(1, ${KEYS}) i
    OFFSET 0
  ) AS key, LATERAL (SELECT now() - interval '1 day' * (${age}) AS made, (${days}) AS days, random() < (${revoked}) AS is_revoked OFFSET 0) AS drawn,
    LATERAL (SELECT made + interval '1 day' * days AS ends OFFSET 0) AS dated
  ORDER BY i`;
}

/** @param {Shape} shape */
const insertUses = (shape) => `
  INSERT INTO api_key_usage (key_id, last_used_at)
  SELECT * FROM (SELECT id, ${SHAPES[shape].lastUse} AS at FROM api_keys) AS used WHERE at IS NOT NULL`;

/** @param {string} url @param {Shape} shape */
const fill = (url, shape) =>
  connected(url, async (client) => {
    await client.query('TRUNCATE api_keys, api_key_usage, accounts CASCADE');
    await client.query('SELECT setseed(0.5)');
    for (const statement of [ACCOUNTS, insertKeys(shape), insertUses(shape), 'VACUUM ANALYZE', 'CHECKPOINT'])
      await client.query(statement);
  });

/** @typedef {import('../dist/application/lists.js').KeyFilter} KeyFilter */

/** @param {import('pg').Client} client @returns {Promise<[string, KeyFilter, object?][]>} */
async function filters(client) {
  const { rows } = await client.query(
    `SELECT id, owner_id, public_part, created_at FROM api_keys ORDER BY created_at OFFSET ${KEYS / 2} LIMIT 1`,
  );
  const { id, owner_id: ownerId, public_part: publicPart, created_at: createdAt } = rows[0];
  const inDays = (/** @type {number} */ days) => new Date(Date.now() + days * DAY_MS);
  const prefix = { marker: 'lk', publicPart: publicPart.slice(0, 12) };
  return [
    ['none', {}],
    ['none, from the middle on', {}, { createdAt, id }],
    ['owner', { ownerId }],
    ['prefix', { prefix }],
    ['prefix of 1 character', { prefix: { marker: 'lk', publicPart: 'a' } }],
    ['active', { status: 'active' }],
    ['expired', { status: 'expired' }],
    ['revoked', { status: 'revoked' }],
    ['expires before tomorrow', { expiresBefore: inDays(1) }],
    ['active, expires before tomorrow', { status: 'active', expiresBefore: inDays(1) }],
    ['expires within 30 days', { expiresBefore: inDays(30) }],
    ['active, expires within 30 days', { status: 'active', expiresBefore: inDays(30) }],
    ['expired before a year ago', { expiresBefore: inDays(-365) }],
    ['made by a manager', { createdBy: 'owner-101' }],
    ['unused for 90 days', { lastUsedBefore: inDays(-90) }],
    ['active, unused for 90 days', { status: 'active', lastUsedBefore: inDays(-90) }],
    ['unused for 2 years', { lastUsedBefore: inDays(-729.9) }],
  ];
}

/** Scans and joins, from the outside in. @param {any} node @returns {string[]} */
function nodesOf(node) {
  const name = node['Index Name'] ?? node['Relation Name'];
  const isShown = name !== undefined || /Join|Nested|Sort|Aggregate/.test(node['Node Type']);
  return [
    ...(isShown ? [`${node['Node Type']}${name ? ` ${name}` : ''}`] : []),
    ...(node.Plans ?? []).flatMap(nodesOf),
  ];
}

/**
 * How many of the updates that a run of uses makes are HOT, which write to no index. Only those whose page is full are not.
 * @param {string} url @param {PostgresKeyUsage} usage
 */
async function measureUses(url, usage) {
  const ids = await connected(url, async (client) => {
    await client.query('TRUNCATE api_key_usage');
    return (await client.query('SELECT id FROM api_keys LIMIT 20000')).rows.map(({ id }) => id);
  });
  let at = Date.now();
  const use = async (/** @type {readonly string[]} */ used) => {
    at += 1000;
    for (const id of used) usage.noteGrant(id, null, null, new Date(at));
    await usage.flush();
  };
  // Uses that fill the pages, and once move rows to others.
  for (let round = 0; round < 2; round += 1) await use(ids);
  const counts = `SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot, n_tup_newpage_upd::int AS moved FROM pg_stat_user_tables WHERE relname = 'api_key_usage'`;
  return connected(url, async (client) => {
    await client.query('VACUUM api_key_usage');
    await client.query(`SELECT pg_stat_reset_single_table_counters('api_key_usage'::regclass)`);
    for (let round = 0; round < 100; round += 1) await use(ids.filter(() => Math.random() < 0.05));
    // A session reports its counts once a second.
    await setTimeout(2000);
    return (await client.query(counts)).rows[0];
  });
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-all-keys-'));
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: { fsync: 'off', max_wal_size: '4GB' },
  });
  const primary = new Primary(readDatabase(new EnvReader({ DATABASE_URL: postgres.url })));
  try {
    await migrateDatabase(primary);
    const source = await connectMigrated(primary, true);
    const keys = new PostgresApiKeys(new Database(source, primary.config), true);
    for (const shape of /** @type {Shape[]} */ (NAMED.length > 0 ? NAMED : Object.keys(SHAPES))) {
      await fill(postgres.url, shape);
      console.log(
        `\n${KEYS} keys: ${shape}\n\n| filter | ms | keys | whole call, ms | plan |\n| --- | ---: | ---: | ---: | --- |`,
      );
      const all = await connected(postgres.url, filters);
      for (const [name, filter, after] of all) {
        const span = { after: /** @type {any} */ (after), limit: PAGE + 1, now: new Date() };
        const [text, values] = keyPage(source.manager, filter, span).getQueryAndParameters();
        const times = [];
        const calls = [];
        let plan;
        let found;
        for (let run = 0; run < RUNS; run += 1) {
          const [row] = await source.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
          [plan] = row['QUERY PLAN'];
          times.push(plan['Planning Time'] + plan['Execution Time']);
          const from = performance.now();
          found = (await keys.list(filter, span.after, PAGE + 1)).items.length;
          calls.push(performance.now() - from);
        }
        const nodes = [...new Set(nodesOf(plan.Plan))].join(', ');
        console.log(`| ${name} | ${median(times).toFixed(1)} | ${found} | ${median(calls).toFixed(1)} | ${nodes} |`);
      }
    }
    const unused = { outbox: /** @type {any} */ (undefined), notifyOfNetworks: async () => [], onError: console.error };
    const usage = new PostgresKeyUsage({ database: new Database(source, primary.config), ...unused });
    const { updates, hot, moved } = await measureUses(postgres.url, usage);
    console.log(
      `\nUpdates of api_key_usage in 100 flushes of about 1,000 uses: ${updates}, of which HOT: ${hot}, and to another page for lack of room: ${moved}`,
    );
    await usage.close();
    await source.destroy();
  } finally {
    await primary.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
