import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ListKeysResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListKeysResponse.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { importedString, IMPORT_PREFIX, importedKey, importKeys, importOf } from '../support/callers/imports.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('ImportKeys', () => {
  let service: Service;
  let ada: Owner;
  beforeAll(async () => {
    service = await startService({ IMPORT_PREFIXES: `${IMPORT_PREFIX},sk|` });
  });
  afterAll(() => service.stop());
  beforeAll(async () => {
    ada = await newOwner(service);
  });

  const outcomeOf = async (text: string) => {
    const { grant, denial } = await service.clients.validate(text);
    return grant ? grant.keyId : denial?.reason;
  };
  const listed = async (prefix: string) => {
    const page = await answer<ListKeysResponse__Output>((done) =>
      service.clients.accounts.listKeys({ prefix }, bearer('dev-accounts-token'), done),
    );
    return page.keys;
  };

  test('makes keys whose strings are granted, and answers each request with its position', async () => {
    const texts = [importedString(), importedString(), `sk|${'x'.repeat(21)}`];
    const parts = [{}, { name: '' }, { displayPrefix: 'sk|xx', access: 'ACCESS_LEVEL_READ_ONLY' as const }];
    const responses = await importKeys(
      service.clients,
      texts.map((text, index) => importOf(text, ada.id, parts[index])),
    );
    expect(responses.map(({ position }) => position)).toEqual(['1', '2', '3']);
    expect(responses[1]).toEqual({ position: '2', keyId: '', error: 'name must not be empty' });
    expect(await Promise.all(texts.map(outcomeOf))).toEqual([
      responses[0]!.keyId,
      'REASON_INVALID_KEY',
      responses[2]!.keyId,
    ]);
  });

  test('names the fields of a refused request as the protocol does', async () => {
    const bad = {
      displayPrefix: 'other_',
      expiresAt: null,
      permissions: [],
      access: 'ACCESS_LEVEL_UNSPECIFIED' as const,
    };
    const [response] = await importKeys(service.clients, [importOf(importedString(), ada.id, bad)]);
    for (const field of ['display_prefix', 'expires_at', 'permissions', 'access']) {
      expect(response!.error).toContain(`${field} `);
    }
  });

  test('imports more keys on one stream than fit into a batch, in their order', async () => {
    const texts = Array.from({ length: 1200 }, importedString);
    const owner = await newOwner(service);
    const responses = await importKeys(
      service.clients,
      texts.map((text, index) => importOf(text, owner.id, index % 100 === 7 ? { permissions: [] } : {})),
    );
    expect(responses.map(({ position }) => Number(position))).toEqual(texts.map((_, index) => index + 1));
    expect(responses.filter(({ error }) => error)).toHaveLength(12);
    expect(await outcomeOf(texts[1199]!)).toBe(responses[1199]!.keyId);
    const again = await importKeys(
      service.clients,
      texts.map((text) => importOf(text, owner.id, { name: 'Other' })),
    );
    expect(again.filter((_, index) => index % 100 !== 7)).toEqual(responses.filter(({ error }) => !error));
    const [row] = await sql<{ keys: number; events: number }>(
      service.databaseUrl,
      `SELECT (SELECT count(*)::int FROM api_keys WHERE owner_id = $1) AS keys,
         (SELECT count(*)::int FROM audit_events WHERE owner_id = $1 AND type = 'api_key.created'
            AND details LIKE '%"imported":true%' AND actor_id = 'service:dev-importer') AS events`,
      [owner.id],
    );
    expect(row).toEqual({ keys: 1200, events: 1200 });
  });

  test('adds each key once when several streams bring the same keys at once', async () => {
    const owner = await newOwner(service);
    const texts = Array.from({ length: 200 }, importedString);
    const requests = texts.map((text) => importOf(text, owner.id));
    const turns = [requests, requests.toReversed(), requests, requests.toReversed()];
    const all = await Promise.all(turns.map((turn) => importKeys(service.clients, turn)));
    const ids = all.map((responses, turn) => (turn % 2 ? responses.toReversed() : responses).map(({ keyId }) => keyId));
    for (const each of ids) expect(each).toEqual(ids[0]);
    expect(new Set(ids[0]).size).toBe(200);
  });

  test('shows imported keys in lists, which find them by what is shown and by the beginning of the string', async () => {
    const owner = await newOwner(service);
    const { text, id } = await importedKey(service.clients, owner.id);
    const shown = `${text.slice(0, 14)}…`;
    for (const prefix of [text.slice(0, 12), text.slice(0, 14), text.slice(0, 16), shown]) {
      expect(await listed(prefix)).toContainEqual(expect.objectContaining({ id, imported: true, prefix: shown }));
    }
    expect((await owner.person.list()).items).toMatchObject([{ id, prefix: shown }]);
    expect(await listed(`${text.slice(0, 13)}!`)).toEqual([]);
  });

  test('lets owners rotate and revoke imported keys like their own', async () => {
    const owner = await newOwner(service);
    const [one, other] = [await importedKey(service.clients, owner.id), await importedKey(service.clients, owner.id)];
    const { body: rotated } = await owner.person.rotate(one.id);
    expect([await outcomeOf(rotated.fullKey), await outcomeOf(one.text)]).toEqual([rotated.apiKey.id, one.id]);
    await owner.person.revoke(other.id);
    expect(await outcomeOf(other.text)).toBe('REASON_REVOKED');
    const [again] = await importKeys(service.clients, [importOf(other.text, owner.id)]);
    expect([again!.keyId, await outcomeOf(other.text)]).toEqual([other.id, 'REASON_REVOKED']);
  });

  test('keeps what was answered before a caller hung up, and takes the rest when it is sent again', async () => {
    const owner = await newOwner(service);
    const requests = Array.from({ length: 2000 }, () => importOf(importedString(), owner.id));
    const stream = service.clients.accounts.importKeys(bearer('dev-importer-token'));
    const answered = await new Promise<string[]>((resolve) => {
      const ids: string[] = [];
      stream.on('data', ({ keyId }: { keyId: string }) => {
        ids.push(keyId);
        if (ids.length === 10) stream.cancel();
      });
      stream.on('error', () => resolve(ids)).on('end', () => resolve(ids));
      for (const request of requests) stream.write(request);
    });
    const again = await importKeys(service.clients, requests);
    expect(again.slice(0, answered.length).map(({ keyId }) => keyId)).toEqual(answered);
    expect(again.filter(({ error }) => error)).toEqual([]);
  });

  test('is for the role importer alone', async () => {
    const tokens = ['dev-accounts-token', 'dev-validator-token', 'dev-reporter-token', 'none'];
    const codes = tokens.map((token) =>
      importKeys(service.clients, [importOf(importedString(), ada.id)], token).catch(({ code }) => code as number),
    );
    const { PERMISSION_DENIED, UNAUTHENTICATED } = status;
    expect(await Promise.all(codes)).toEqual([
      PERMISSION_DENIED,
      PERMISSION_DENIED,
      PERMISSION_DENIED,
      UNAUTHENTICATED,
    ]);
    const listing = answer((done) => service.clients.accounts.listKeys({}, bearer('dev-importer-token'), done));
    await expect(listing).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });
});
