import { hash, randomUUID } from 'node:crypto';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CreateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/CreateKeyRequest.js';
import type { CreateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/CreateKeyResponse.js';
import type { RevokeKeysRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysRequest.js';
import type { RevokeKeysResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysResponse.js';
import type { RotateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RotateKeyRequest.js';
import type { RotateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RotateKeyResponse.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { PROTO_SERVICES } from './proto-services.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const { INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, FAILED_PRECONDITION, RESOURCE_EXHAUSTED } =
  status;
const [ONE, TWO] = ['bot-one', 'bot-two'];
const identity = (name: string, role: string, token = name) => `${name}:${role}:${hash('sha256', token)}`;
const TOKENS = [
  identity('dev-validator', 'validator', 'dev-validator-token'),
  identity('dev-accounts', 'accounts', 'dev-accounts-token'),
  identity('ci', `issuer/${ONE}`),
  identity('all', 'issuer/*'),
  identity('both', `issuer/${ONE}`),
  identity('both', `issuer/${TWO}`),
];

let service: Service;
let ada: Owner;
beforeAll(async () => {
  service = await startService({ SERVICE_TOKENS: TOKENS.join(','), KEY_CHANGES_PER_HOUR: '60' });
  ada = await newOwner(service);
  await Promise.all([ONE, TWO].map((id) => newBot(id)));
});
afterAll(() => service.stop());

const newBot = (id = `bot-${randomUUID()}`, maxActiveKeys = 100) =>
  service.clients.putAccount({
    id,
    displayName: 'CI bot',
    permissions: ['systems:read', 'systems:write'],
    kind: 'ACCOUNT_KIND_SERVICE',
    managers: { ids: [ada.id] },
    limits: { maxActiveKeys },
  });
const wish = (part: CreateKeyRequest = {}): CreateKeyRequest => ({
  accountId: ONE,
  name: 'Deploy',
  access: 'ACCESS_LEVEL_READ_ONLY',
  permissions: ['systems:read'],
  ...part,
});
const create = (part: CreateKeyRequest = {}, token = 'ci') =>
  answer<CreateKeyResponse__Output>((done) => service.clients.accounts.createKey(wish(part), bearer(token), done));
const rotate = (request: RotateKeyRequest, token = 'ci') =>
  answer<RotateKeyResponse__Output>((done) => service.clients.accounts.rotateKey(request, bearer(token), done));
const revoke = (request: RevokeKeysRequest, token = 'ci') =>
  answer<RevokeKeysResponse__Output>((done) => service.clients.accounts.revokeKeys(request, bearer(token), done));
/** The status of a refused call, and what its metadata says. */
const refusal = async (call: Promise<unknown>) => {
  const { code, metadata } = (await call.then(
    () => Promise.reject(new Error('the call was not refused')),
    (error: unknown) => error,
  )) as ServiceError;
  return [code, metadata.get('latchkey-code')[0]];
};
const granted = async (text: string) => (await service.clients.validate(text)).grant?.keyId;

describe('CreateKey', () => {
  test('makes a key that works, that is made by the issuer, and that is on the audit trail', async () => {
    const { key, fullKey } = await create({ expiresInDays: 7, note: 'nightly', allowedNetworks: ['192.0.2.1/24'] });
    expect(key).toMatchObject({
      ownerId: ONE,
      createdBy: 'service:ci',
      permissions: ['systems:read'],
      allowedNetworks: ['192.0.2.0/24'],
      status: 'KEY_STATUS_ACTIVE',
    });
    expect(Number(key!.expiresAt!.seconds) - Number(key!.createdAt!.seconds)).toBe(7 * 86_400);
    expect(await service.clients.validate(fullKey, { clientIp: '192.0.2.9' })).toMatchObject({
      grant: { keyId: key!.id, ownerId: ONE },
    });
    const events = await sql(
      service.databaseUrl,
      'SELECT type, actor_id FROM audit_events WHERE key_id = $1 ORDER BY id',
      [key!.id],
    );
    expect(events[0]).toEqual({ type: 'api_key.created', actor_id: 'service:ci' });
  });

  test('gives all of the permissions for an asterisk alone', async () => {
    const { key } = await create({ permissions: ['*'], access: 'ACCESS_LEVEL_READ_AND_WRITE' });
    expect(key!.permissions).toEqual([]);
  });

  test.each<[string, CreateKeyRequest, string]>([
    ['no permissions', { permissions: [] }, 'permissions must not be empty: *'],
    ['an asterisk among others', { permissions: ['*', 'systems:read'] }, 'permissions holds "*"'],
    ['permissions that the account lacks', { permissions: ['users:read'] }, "can't give"],
    ['no access level', { access: 'ACCESS_LEVEL_UNSPECIFIED' }, 'access must be one of'],
    ['too many days', { expiresInDays: 366 }, 'expires_in_days must be'],
    ['no account', { accountId: '' }, 'account_id must be'],
    ['no name', { name: ' ' }, 'name must not be empty'],
    ['a wrong network', { allowedNetworks: ['here'] }, 'allowed_networks '],
    ['an idempotency key with a space', { idempotencyKey: 'a b' }, 'idempotency_key must be'],
  ])('refuses %s', async (_, part, message) => {
    await expect(create(part)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      details: expect.stringContaining(message),
    });
  });

  test('refuses the account of a person, also for an issuer for all service accounts', async () => {
    expect(await refusal(create({ accountId: ada.id }, 'all'))).toEqual([FAILED_PRECONDITION, 'not_a_service_account']);
  });

  test('answers another service account as one that does not exist', async () => {
    const others = [create({ accountId: TWO }), create({ accountId: ada.id }), create({ accountId: 'nobody' }, 'all')];
    expect(await Promise.all(others.map(refusal))).toEqual(others.map(() => [NOT_FOUND, 'account_not_found']));
    const texts = await Promise.all([TWO, 'nobody'].map((accountId) => create({ accountId }).catch(String)));
    expect(new Set(texts).size).toBe(1);
  });

  test('lets one token issue for each account that its entries name', async () => {
    const keys = await Promise.all([ONE, TWO].map((accountId) => create({ accountId }, 'both')));
    expect(keys.map(({ key }) => key!.ownerId)).toEqual([ONE, TWO]);
  });

  test('makes one key for an idempotency key, and never shows its string again', async () => {
    const idempotencyKey = randomUUID();
    const { key, fullKey } = await create({ idempotencyKey });
    const again = await create({ idempotencyKey }).then(
      () => undefined,
      (error: ServiceError) => error,
    );
    expect([again!.code, again!.metadata.get('latchkey-key-id')]).toEqual([ALREADY_EXISTS, [key!.id]]);
    expect(JSON.stringify([again, again!.metadata.getMap()])).not.toContain(fullKey.split('.')[1]!);
    const replayed = await create({ idempotencyKey }, 'all');
    expect(replayed.key!.id).not.toBe(key!.id);
    expect(await refusal(create({ idempotencyKey, accountId: TWO }))).toEqual([NOT_FOUND, 'account_not_found']);
  });

  test('obeys the cap of the account, its status and the changes that it may make in an hour', async () => {
    const [{ id: full }, { id: stopped }, { id: busy }] = await Promise.all([newBot(undefined, 1), newBot(), newBot()]);
    await create({ accountId: full }, 'all');
    expect(await refusal(create({ accountId: full }, 'all'))).toEqual([FAILED_PRECONDITION, 'too_many_active_keys']);
    await service.clients.account('SuspendAccount', stopped);
    expect(await refusal(create({ accountId: stopped }, 'all'))).toEqual([FAILED_PRECONDITION, 'account_not_active']);
    await Promise.all(Array.from({ length: 60 }, () => create({ accountId: busy }, 'all')));
    expect(await refusal(create({ accountId: busy }, 'all'))).toEqual([RESOURCE_EXHAUSTED, 'too_many_changes']);
  });
});

describe('RotateKey', () => {
  test('makes a successor with the same choices, whose first use ends the old key', async () => {
    const old = await create();
    const { key, replaced, fullKey } = await rotate({ keyId: old.key!.id, graceSeconds: 0, expiresInDays: 3 });
    expect([key!.createdBy, key!.permissions, replaced!.id]).toEqual(['service:ci', ['systems:read'], old.key!.id]);
    expect(await refusal(rotate({ keyId: old.key!.id }))).toEqual([FAILED_PRECONDITION, 'rotation_pending']);
    expect(await granted(old.fullKey)).toBe(old.key!.id);
    expect(await granted(fullKey)).toBe(key!.id);
    expect(await granted(old.fullKey)).toBeUndefined();
  });

  test('answers the keys of other accounts as keys that do not exist', async () => {
    const [{ key: others }, { apiKey: adas }] = [await create({ accountId: TWO }, 'all'), await newPersonsKey()];
    const calls = [others!.id, adas.id, randomUUID()].map((keyId) => rotate({ keyId }));
    expect(await Promise.all(calls.map(refusal))).toEqual(calls.map(() => [NOT_FOUND, 'not_found']));
    expect(await refusal(rotate({ keyId: adas.id }, 'all'))).toEqual([FAILED_PRECONDITION, 'not_a_service_account']);
  });

  test('refuses what is no id of a key', async () => {
    expect(await refusal(rotate({ keyId: 'x' }))).toEqual([INVALID_ARGUMENT, 'invalid_fields']);
  });

  test('makes one successor for an idempotency key', async () => {
    const { key } = await create();
    const request = { keyId: key!.id, idempotencyKey: randomUUID() };
    const { key: successor } = await rotate(request);
    const again = await rotate(request).catch((error: ServiceError) => error.metadata.get('latchkey-key-id'));
    expect(again).toEqual([successor!.id]);
  });
});

const newPersonsKey = async () => (await ada.person.create()).body;

describe('RevokeKeys by an issuer', () => {
  test('ends a key of its account, may be repeated, and cancels a rotation', async () => {
    const old = await create();
    const { key: successor } = await rotate({ keyId: old.key!.id });
    expect(await revoke({ keyId: successor!.id })).toEqual({ revokedKeys: 1 });
    expect(await revoke({ keyId: successor!.id })).toEqual({ revokedKeys: 0 });
    expect(await granted(old.fullKey)).toBe(old.key!.id);
    await rotate({ keyId: old.key!.id });
  });

  test('ends no other key, and not all keys of an account', async () => {
    const [{ key: others }, { apiKey: adas }] = [await create({ accountId: TWO }, 'all'), await newPersonsKey()];
    const calls = [revoke({ keyId: others!.id }), revoke({ keyId: adas.id }), revoke({ keyId: adas.id }, 'all')];
    expect(await Promise.all(calls.map(refusal))).toEqual(calls.map(() => [NOT_FOUND, 'not_found']));
    expect(await refusal(revoke({ ownerId: ONE }))).toEqual([PERMISSION_DENIED, 'forbidden']);
    expect(await refusal(revoke({ ownerId: ONE }, 'all'))).toEqual([PERMISSION_DENIED, 'forbidden']);
  });
});

const OF_ISSUERS = ['CreateKey', 'RotateKey', 'RevokeKeys'];
const others = Object.values(PROTO_SERVICES)
  .flatMap((each) => Object.values(each))
  .filter(({ requestStream, path }) => !requestStream && !OF_ISSUERS.some((name) => path.endsWith(`/${name}`)))
  .map(({ path }) => path);

test.each(others)('%s is not for an issuer', async (path) => {
  const call = answer<Buffer>((done) =>
    service.clients.apiKeys.makeUnaryRequest(
      path,
      (message: Buffer) => message,
      (message) => message,
      Buffer.alloc(0),
      bearer('all'),
      {},
      done,
    ),
  );
  await expect(call).rejects.toMatchObject({ code: PERMISSION_DENIED });
});

test('the other roles make no key', async () => {
  const calls = ['dev-accounts-token', 'dev-validator-token'].map((token) => create({}, token));
  expect(await Promise.all(calls.map(refusal))).toEqual(calls.map(() => [PERMISSION_DENIED, 'forbidden']));
});
