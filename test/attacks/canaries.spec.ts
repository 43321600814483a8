import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { freePort } from '../../scripts/lib/ports.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import type { ServiceError } from '@grpc/grpc-js';
import type { CreateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/CreateKeyResponse.js';
import type { RotateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RotateKeyResponse.js';
import { answer, bearer, connectClients, type Clients } from '../support/callers/grpc-clients.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { importedString, IMPORT_PREFIX, importKeys, importOf } from '../support/callers/imports.js';
import { eventually } from '../support/eventually.js';
import { startMailServer } from '../support/platform/mail-server.js';
import { startOtlpReceiver } from '../support/platform/otlp-receiver.js';
import { startWebhookServer, WEBHOOK_SECRET } from '../support/platform/webhook-receiver.js';
import { Person } from '../support/callers/person.js';
import { sql } from '../support/stores/sql.js';
import { buildService, ServiceProcess, type End } from '../support/processes/service-process.js';
import { hitsOf, redisEntries, spellingsOf, storedRows, type Find } from './canary-search.js';
import { presentKey, presentPassword, presentSession, presentToken } from './canary-paths.js';

/** A database of Redis that no other suite uses. */
const redisUrl = `${process.env['LATCHKEY_TEST_REDIS_URL']}/7`;
const word = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
/** The first characters of a key's secret part, because no piece of it may be stored. Of an import: what follows the prefix. */
const proofOf = (key: string) =>
  (key.startsWith(IMPORT_PREFIX) ? key.slice(IMPORT_PREFIX.length) : key.slice(key.indexOf('.') + 1)).slice(0, 20);

const passwords = { password: word('password'), changedPassword: word('changed'), wrongPassword: word('wrong') };
const tokens = {
  validator: word('validator'),
  accounts: word('accounts'),
  importer: word('importer'),
  issuer: word('issuer'),
  unknownToken: word('nobody'),
};

describe('secrets that were sent on every path', () => {
  const mailPassword = word('mail');
  const webhookSecret = WEBHOOK_SECRET.replace('whsec_', '');
  const secrets: Record<string, string> = { ...passwords, ...tokens, webhookSecret, mailPassword };
  /** All answers, and what Redis held in the meantime. */
  const answers: Find[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let finds: Find[];
  let log: End;
  let publicPart: string;

  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    const receiver = await startOtlpReceiver();
    const webhooks = await startWebhookServer();
    const mailServer = await refusingMailServer();
    const metricsPort = String(await freePort());
    const service = await ServiceProcess.startReady({
      METRICS_PORT: metricsPort,
      ...receiver.env,
      ...webhooks.env,
      SMTP_URL: `smtp://keys:${mailPassword}@${mailServer.place}`,
      MAIL_FROM: 'keys@example.com',
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'debug',
      // So that the used limits are still in Redis when the test searches there.
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '1000',
      AUDIT_SEAL_KEY: randomBytes(32).toString('hex'),
      IMPORT_PREFIXES: IMPORT_PREFIX,
      SERVICE_TOKENS: [
        `a:validator:${sha256(tokens.validator)}`,
        `b:accounts:${sha256(tokens.accounts)}`,
        `c:importer:${sha256(tokens.importer)}`,
        `d:issuer/canary-bot:${sha256(tokens.issuer)}`,
      ].join(),
    });
    const clients = connectClients(service.target, { validator: tokens.validator, admin: tokens.accounts });
    try {
      await pushEverything(service, clients);
      const refused = () => sql(database.url, 'SELECT 1 FROM outbox WHERE last_error IS NOT NULL');
      await eventually(async () => (await refused()).length > 0);
      answers.push(...(await storedRows(database.url)));
      mailServer.accept();
      await eventually(async () => {
        await sql(database.url, 'UPDATE outbox SET next_try_at = clock_timestamp()');
        return JSON.stringify(mailServer.mails).includes(`lk_${publicPart.slice(0, 12)}…`);
      });
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      finds = [{ place: '/metrics', text: metrics }, ...answers];
    } finally {
      clients.close();
      service.child.kill('SIGTERM');
      log = await service.ended;
      await receiver.stop();
      await webhooks.stop();
      await mailServer.stop();
    }
    expect(webhooks.deliveries.length).toBeGreaterThan(1);
    finds.push({ place: 'the traces', text: receiver.received.join('\n') });
    finds.push({ place: 'the webhooks', text: JSON.stringify(webhooks.deliveries) });
    finds.push({ place: 'the mails', text: JSON.stringify(mailServer.mails) });
    // Only now, when everything that is written later has been written.
    finds.push(
      ...(await storedRows(database.url)),
      { place: 'stdout', text: log.out },
      { place: 'stderr', text: log.err },
    );
  });
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  async function pushEverything(service: ServiceProcess, clients: Clients): Promise<void> {
    const { password, changedPassword, wrongPassword } = passwords;
    const profile = { id: 'canary', email: 'canary@example.com', permissions: ['systems:read'] };
    await clients.putAccount({ ...profile, password });
    const person = await new Person(service.url).signIn(profile.email, password);
    const session = person.cookie.split('=')[1]!;
    const good = (await person.newKey({ password })).fullKey;
    const revoked = await person.newKey({ password });
    await person.revoke(revoked.apiKey.id);
    publicPart = good.slice(3, 27);
    const imported = importedString();
    const order = importOf(imported, profile.id, { displayPrefix: IMPORT_PREFIX });
    await importKeys(clients, [order], tokens.importer);
    const keys: Record<string, string> = {
      good,
      revoked: revoked.fullKey,
      wrongSecret: withWrongSecret(good),
      unknown: unknownKey(),
      malformed: `${unknownKey().slice(0, -1)}x`,
      imported,
      unknownImport: importedString(),
    };
    Object.assign(secrets, { session }, mapValues(keys, proofOf));
    const paths = {
      url: service.url,
      clients,
      validatorToken: tokens.validator!,
      cookie: person.cookie,
      note: (find: Find) => answers.push(find),
    };
    await Promise.all(Object.values(keys).map((key) => presentKey(paths, key, password)));
    await Promise.all(Object.values(tokens).map((token) => presentToken(paths, token)));
    // On a busy machine a charge may come too late for Redis, and is then counted in the process.
    const charged = await eventually(async () => {
      await clients.validate(good);
      const entries = await redisEntries(redisUrl);
      return entries.some(({ text }) => text.includes('latchkey:rate:')) && entries;
    });
    answers.push(...charged);
    await presentPassword(paths, profile, password);
    await presentPassword(paths, profile, wrongPassword);
    await presentSession(paths, session);
    await clients.putAccount({ ...profile, password: changedPassword });
    const again = await new Person(service.url).signIn(profile.email, changedPassword);
    secrets['secondSession'] = again.cookie.split('=')[1]!;
    await again.call('DELETE', '/v1/session');
    await presentSession(paths, secrets['secondSession']);
    Object.assign(secrets, mapValues(await keysFromCode(clients, profile.id), proofOf));
    // Events of many failures at once are grouped, and then may have another user agent or none.
    const storedAgent = 'SELECT 1 FROM audit_events WHERE user_agent LIKE $1';
    await eventually(async () => {
      await clients.validate(unknownKey(), { userAgent: `curl ${imported}` });
      return (await sql(database.url, storedAgent, ['curl acme%'])).length > 0;
    });
  }

  /** Their strings are answered once, and repeats are refused. */
  async function keysFromCode({ putAccount, accounts }: Clients, manager: string) {
    const id = 'canary-bot';
    await putAccount({ id, permissions: ['systems:read'], kind: 'ACCOUNT_KIND_SERVICE', managers: { ids: [manager] } });
    const order = { accountId: id, name: 'CI', access: 'ACCESS_LEVEL_READ_ONLY' as const, permissions: ['*'] };
    const issuer = bearer(tokens.issuer);
    const create = () =>
      answer<CreateKeyResponse__Output>((done) =>
        accounts.createKey({ ...order, idempotencyKey: 'one' }, issuer, done),
      );
    const created = await create();
    const rotation = { keyId: created.key!.id, idempotencyKey: 'two' };
    const rotate = () => answer<RotateKeyResponse__Output>((done) => accounts.rotateKey(rotation, issuer, done));
    const rotated = await rotate();
    for (const repeat of [create, rotate]) {
      // oxlint-disable-next-line no-await-in-loop
      const { details, metadata } = await repeat().then(Promise.reject, (error: ServiceError) => error);
      answers.push({ place: 'the answer to a repeat', text: `${details} ${JSON.stringify(metadata.getMap())}` });
    }
    return { created: created.fullKey, rotated: rotated.fullKey };
  }

  test('are in no table, Redis entry, log line, metric, span or answer', () => {
    expect(hitsOf(secrets, finds)).toEqual([]);
  });

  test('are searched in places where the public part is found', () => {
    const places = (text: string) => finds.filter((find) => find.text.includes(text)).map(({ place }) => place);
    expect(places(publicPart)).toEqual(expect.arrayContaining(['table public.api_keys', 'stdout']));
    expect(places(publicPart)).not.toContain('the webhooks');
    expect(places(`lk_${publicPart.slice(0, 12)}…`)).toContain('the webhooks');
    expect(places(`lk_${publicPart.slice(0, 12)}…`)).toContain('the mails');
    // Where each imported string was, its prefix is left.
    const masked = [`/v1/api-keys/${IMPORT_PREFIX}…`, `curl ${IMPORT_PREFIX}…`];
    expect(places(masked[0]!)).toContain('stdout');
    expect(places(masked[1]!)).toContain('table public.audit_events');
    expect(places('535 not … for keys')).toEqual(expect.arrayContaining(['table public.outbox', 'stdout']));
    expect(places('latchkey:rate:')).toContain('Redis');
    expect(places('latchkey_validations_total')).toContain('/metrics');
    for (const span of [
      'ApiKeyService/ValidateKey',
      'AccountService/PutAccount',
      'GET /v1/session',
      'postgresql read_keys',
    ]) {
      expect(places(`"name":"${span}"`)).toEqual(['the traces']);
    }
    expect(places('invalid_fields').filter((place) => place.startsWith('the answer to'))).not.toEqual([]);
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(17);
  });

  test('are found in any spelling', () => {
    const { password } = passwords;
    const written = [password, `x${Buffer.from(password).toString('hex')}`, password.toUpperCase()];
    const within = ['', 'a', 'ab'].map((before) => Buffer.from(`${before}${password}:`).toString('base64'));
    for (const text of [...written, ...within]) {
      expect(hitsOf({ password }, [{ place: 'here', text }])).toEqual(['password in here']);
    }
    expect(spellingsOf(password).length).toBeGreaterThan(4);
  });

  test('leave a log in which each line is one entry', () => {
    const lines = log.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThan(100);
    expect(lines.filter(({ msg }) => msg === 'refused').length).toBeGreaterThan(50);
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
    expect(log.err).toBe('');
  });
});

/** Refuses each login with an error that contains the password, until `accept` is called. */
async function refusingMailServer() {
  let isAccepting = false;
  const server = await startMailServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) => {
      const refused = Object.assign(new Error(`not ${password} for ${username}`), { responseCode: 535 });
      callback(isAccepting ? null : refused, { user: username! });
    },
  });
  return Object.assign(server, { accept: () => void (isAccepting = true) });
}

function mapValues(record: Record<string, string>, change: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
