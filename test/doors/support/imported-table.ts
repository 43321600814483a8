import { randomBytes } from 'node:crypto';
import { importedString, IMPORT_PREFIX, importKeys, importOf } from '#test/support/callers/imports.js';
import { eventually } from '#test/support/eventually.js';
import { newOwner } from '#test/support/callers/owners.js';
import type { Service } from '#test/support/processes/service.js';
import { sql } from '#test/support/stores/sql.js';
import type { Sent } from './restricted-doors.js';

type ImportRequest = NonNullable<Parameters<typeof importOf>[2]>;

/** What a request is for: a permission to read, one to write, none (any good key), managing keys, introspection. */
const COLUMNS = ['read', 'write', 'any', 'manage', 'active'] as const;
type Column = (typeof COLUMNS)[number];

/**
 * The answers to an imported key, by hand: a status, then `scope` if the refusal says that more scope would help, and
 * `early` if nothing is charged, because the secret is not proven or the address is not allowed. The last word is the
 * reason that a service gets for the first refusal.
 */
const TABLE = {
  'is active': '200 | 200 | 200 | 403 scope | yes | -',
  'is active, as short as it may be': '200 | 200 | 200 | 403 scope | yes | -',
  'is active, as long as it may be': '200 | 200 | 200 | 403 scope | yes | -',
  'is read-only': '200 | 403 scope | 200 | 403 scope | yes | READ_ONLY_KEY',
  'is limited to another permission': '403 scope | 403 scope | 200 | 403 scope | yes | MISSING_PERMISSION',
  'is limited to this network': '200 | 200 | 200 | 403 scope | no | -',
  'is limited to other networks': '403 early | 403 early | 403 early | 403 early | no | ADDRESS_NOT_ALLOWED',
  'was revoked by its owner': '401 | 401 | 401 | 401 | no | REVOKED',
  'was revoked by the platform': '401 | 401 | 401 | 401 | no | REVOKED',
  'was reported as leaked': '401 | 401 | 401 | 401 | no | REVOKED',
  'was reported by a GitLab': '401 | 401 | 401 | 401 | no | REVOKED',
  'was replaced by its successor': '401 | 401 | 401 | 401 | no | REVOKED',
  'has expired': '401 | 401 | 401 | 401 | no | EXPIRED',
  'is of a suspended owner': '401 | 401 | 401 | 401 | no | OWNER_SUSPENDED',
  'is of a deleted owner': '401 | 401 | 401 | 401 | no | OWNER_DELETED',
  'is of a purged owner': '401 | 401 | 401 | 401 | no | REVOKED',
  'is of an owner who came back': '200 | 200 | 200 | 403 scope | yes | -',
  'is mistyped in its last character': '401 early | 401 early | 401 early | 401 early | no | INVALID_KEY',
  'was never imported': '401 early | 401 early | 401 early | 401 early | no | INVALID_KEY',
  'was imported, but is too short': '401 early | 401 early | 401 early | 401 early | no | INVALID_KEY',
  'was imported, but is too long': '401 early | 401 early | 401 early | 401 early | no | INVALID_KEY',
  'was imported, but begins like none': '401 early | 401 early | 401 early | 401 early | no | INVALID_KEY',
} as const;
export type State = keyof typeof TABLE;
export const STATES = Object.keys(TABLE) as State[];

const cell = (state: State, index: number) => TABLE[state].split(' | ')[index]!;

export const expectedAt = (state: State, column: Column) => cell(state, COLUMNS.indexOf(column));

/** The reason that a service gets, or undefined for a grant. */
export function reasonOf(state: State, column: Column): string | undefined {
  return expectedAt(state, column) === '200' ? undefined : `REASON_${cell(state, COLUMNS.length)}`;
}

/** A request for each of the first three columns, to the routes of restricted-doors.ts. */
export const REQUESTS = {
  read: { method: 'GET', path: '/systems', permission: 'systems:read', operation: 'READ' },
  write: { method: 'POST', path: '/systems/7', permission: 'systems/7:write', operation: 'WRITE' },
  any: { method: 'GET', path: '/any', permission: '', operation: 'READ' },
} as const satisfies Partial<Record<Column, Sent>>;

/** Each state with each request. */
export const CASES = STATES.flatMap((state) =>
  (['read', 'write', 'any'] as const).map((column) => [state, column] as const),
);

/** The client of every door. A door that does not know it must not let a key in that is limited to networks. */
export const CLIENT = '127.0.0.1';

const ofLength = (length: number) =>
  IMPORT_PREFIX +
  randomBytes(length)
    .toString('base64url')
    .slice(0, length - IMPORT_PREFIX.length);

/** A string for each state, brought into it by the calls that people and platforms make. */
export async function importedKeys(service: Service): Promise<Readonly<Record<State, string>>> {
  const { clients } = service;
  const importFor = async (ownerId: string, text: string, part: ImportRequest = {}) => {
    const [response] = await importKeys(clients, [importOf(text, ownerId, part)]);
    if (!response?.keyId) throw new Error(response?.error);
    return { text, id: response.keyId };
  };
  const owner = await newOwner(service, { permissions: ['systems:read', 'systems:write', 'reports:read'] });
  const own = async (part: ImportRequest = {}, text = importedString()) => importFor(owner.id, text, part);
  const ofOther = async (...then: ('SuspendAccount' | 'DeleteAccount' | 'ReactivateAccount' | 'purge')[]) => {
    const other = await newOwner(service);
    const { text } = await importFor(other.id, importedString());
    for (const step of then) {
      // oxlint-disable-next-line no-await-in-loop
      await (step === 'purge' ? clients.purgeAccount(other.id) : clients.account(step, other.id));
    }
    return text;
  };

  const post = async (path: string, body: unknown, identity = {}) => {
    const headers = { 'content-type': 'application/json', ...identity };
    const { ok } = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!ok) throw new Error(`${path} refused the report`);
  };
  /** Of an owner who may have one key more. */
  const replacedKey = async () => {
    const other = await newOwner(service);
    const key = await importFor(other.id, importedString());
    const { body } = await other.person.rotate(key.id, { graceSeconds: 0 });
    await clients.validate(body.fullKey);
    return key;
  };

  const active = await own();
  const [byOwner, byPlatform, expired] = [await own(), await own(), await own()];
  await owner.person.revoke(byOwner.id);
  await clients.revokeKeys({ keyId: byPlatform.id });
  await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.id]);
  const [leaked, found] = [await own(), await own()];
  await post('/v1/leaked-keys', { keys: [`It says curl -H "Authorization: Bearer ${leaked.text}".`] });
  const finding = { type: 'gitleaks_rule_id_latchkey-api-key', token: found.text, location: 'https://git.example.com' };
  await post('/v1/revoke_tokens', [finding], { authorization: 'Bearer dev-reporter-token' });
  for (const { text } of [leaked, found]) {
    // oxlint-disable-next-line no-await-in-loop
    await eventually(async () => (await clients.validate(text)).denial);
  }
  const replaced = await replacedKey();
  const texts = {
    'is active': active,
    'is active, as short as it may be': await own({}, ofLength(24)),
    'is active, as long as it may be': await own({}, ofLength(512)),
    'is read-only': await own({ access: 'ACCESS_LEVEL_READ_ONLY' }),
    'is limited to another permission': await own({ permissions: ['reports:read'] }),
    'is limited to this network': await own({ allowedNetworks: ['127.0.0.0/8'] }),
    'is limited to other networks': await own({ allowedNetworks: ['198.51.100.0/24', '2001:db8::/32'] }),
    'was revoked by its owner': byOwner,
    'was revoked by the platform': byPlatform,
    'was reported as leaked': leaked,
    'was reported by a GitLab': found,
    'was replaced by its successor': replaced,
    'has expired': expired,
    'is of a suspended owner': { text: await ofOther('SuspendAccount') },
    'is of a deleted owner': { text: await ofOther('DeleteAccount') },
    'is of a purged owner': { text: await ofOther('purge') },
    'is of an owner who came back': { text: await ofOther('SuspendAccount', 'ReactivateAccount') },
    'is mistyped in its last character': { text: withOtherEnd(active.text) },
    'was never imported': { text: importedString() },
    'was imported, but is too short': await own({}, ofLength(23)),
    'was imported, but is too long': await own({}, ofLength(513)),
    'was imported, but begins like none': await own({ displayPrefix: IMPORT_PREFIX }, `other_${active.text}`),
  } satisfies Record<State, { text: string }>;
  return Object.fromEntries(STATES.map((state) => [state, texts[state].text])) as Record<State, string>;
}

const withOtherEnd = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
