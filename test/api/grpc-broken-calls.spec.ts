import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { ValidateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const VALIDATE = '/latchkey.v1.ApiKeyService/ValidateKey';
const PUT = '/latchkey.v1.AccountService/PutAccount';

describe('a malformed gRPC call', () => {
  let service: Service;
  let fullKey: string;
  beforeAll(async () => {
    service = await startService();
    fullKey = (await (await newOwner(service)).person.newKey()).fullKey;
  });
  afterAll(() => service.stop());

  /** Bytes that no generated client would send. */
  const sendBytes = (bytes: Buffer, path = VALIDATE, token = 'dev-validator-token') =>
    answer<Buffer>((done) =>
      service.clients.apiKeys.makeUnaryRequest(
        path,
        (message: Buffer) => message,
        (message) => message,
        bytes,
        bearer(token),
        {},
        done,
      ),
    );
  const expectGoodAnswers = async () => {
    expect((await service.clients.validate(fullKey)).grant).toBeTruthy();
    expect((await service.clients.validate(unknownKey())).denial).toBeTruthy();
  };
  const writtenRows = async () => {
    const [row] = await sql<{ rows: string }>(
      service.databaseUrl,
      `SELECT (SELECT count(*) FROM audit_events) || '/' || (SELECT count(*) FROM accounts) AS rows`,
    );
    return row!.rows;
  };

  test.each<[string, () => ValidateKeyRequest, string[]]>([
    ['no credential', () => ({ operation: 'OPERATION_READ' }), ['credential']],
    ['no operation', () => ({ apiKey: fullKey }), ['operation']],
    ['OPERATION_UNSPECIFIED', () => ({ apiKey: fullKey, operation: 'OPERATION_UNSPECIFIED' }), ['operation']],
    ['an operation number without a name', () => ({ apiKey: fullKey, operation: 99 as 1 }), ['operation']],
    ['a negative operation number', () => ({ apiKey: fullKey, operation: -1 as 1 }), ['operation']],
    ['nothing at all', () => ({}), ['credential', 'operation']],
    ...['systems', 'systems:', ':read', 'systems:*', '*:read', '*', 'a:b:c', 'systems:read ', 'a\0:read'].map(
      (permission): [string, () => ValidateKeyRequest, string[]] => [
        `the permission ${JSON.stringify(permission)}`,
        () => ({ apiKey: fullKey, operation: 'OPERATION_READ', permission }),
        ['permission'],
      ],
    ),
  ])('with %s is answered INVALID_ARGUMENT with the wrong fields, and writes nothing', async (_, request, fields) => {
    const before = await writtenRows();
    const error = await service.clients.validateRequest(request()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT });
    const { details } = error as { details: string };
    expect(details.split('; ').map((problem) => problem.split(' ', 1)[0])).toEqual(fields);
    expect(details).not.toContain(fullKey);
    expect(await writtenRows()).toBe(before);
  });

  test.each([
    ['a field without its value', Buffer.from([0x12])],
    ['a wire type that does not exist', Buffer.from([0x7f, 0x01])],
    ['an endless varint', Buffer.alloc(64, 0xff)],
    ['random bytes', Buffer.from('deadbeef'.repeat(40), 'hex')],
  ])('that is not protobuf (%s) is answered INTERNAL, and the server keeps working', async (_, bytes) => {
    for (const [path, token] of [
      [VALIDATE, 'dev-validator-token'],
      [PUT, 'dev-accounts-token'],
    ]) {
      await expect(sendBytes(bytes, path, token)).rejects.toMatchObject({ code: status.INTERNAL });
    }
    await expectGoodAnswers();
  });

  test('with text that is not UTF-8 is answered like any other', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0x12, 4]),
      Buffer.from([0xff, 0xfe, 0xed, 0xa0]),
      Buffer.from([0x20, 1]),
    ]);
    await expect(sendBytes(bytes)).resolves.toBeInstanceOf(Buffer);
    await expectGoodAnswers();
  });

  test.each([
    VALIDATE.replace('Key', 'Nothing'),
    '/latchkey.v1.Nothing/Do',
    '/latchkey.v2.ApiKeyService/ValidateKey',
    '/',
  ])('to %s is answered UNIMPLEMENTED', async (path) => {
    await expect(sendBytes(Buffer.alloc(0), path)).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
  });

  test('over 64 KiB is answered RESOURCE_EXHAUSTED, and one below is not', async () => {
    const validate = (length: number) => service.clients.validate('a'.repeat(length));
    await expect(validate(1024 * 1024)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    await expect(validate(64 * 1024)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    expect((await validate(64 * 1024 - 16)).denial?.reason).toBe('REASON_INVALID_KEY');
    const permissions = new Array<string>(8000).fill('systems:read');
    await expect(
      service.clients.putAccount({ id: 'big', email: 'big@example.com', permissions }),
    ).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    await expectGoodAnswers();
  });

  test('whose deadline passes fails with DEADLINE_EXCEEDED, and the server keeps answering', async () => {
    const blocker = new pg.Client({ connectionString: service.databaseUrl });
    await blocker.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
      const late = Array.from({ length: 50 }, () =>
        answer((done) =>
          service.clients.apiKeys.validateKey(
            { apiKey: fullKey, operation: 'OPERATION_READ' },
            bearer('dev-validator-token'),
            { deadline: Date.now() + 40 },
            done,
          ),
        ).catch((error: { code: number }) => error.code),
      );
      expect(await Promise.all(late)).toEqual(new Array(50).fill(status.DEADLINE_EXCEEDED));
    } finally {
      await blocker.query('ROLLBACK');
      await blocker.end();
    }
    await expectGoodAnswers();
  });

  test('does not affect the answers to simultaneous good calls', async () => {
    const broken = Array.from({ length: 30 }, () =>
      service.clients.validateRequest({ apiKey: fullKey }).catch(() => 'broken'),
    );
    const good = Array.from({ length: 30 }, () => service.clients.validate(fullKey));
    expect(await Promise.all(broken)).toEqual(new Array(30).fill('broken'));
    for (const { grant } of await Promise.all(good)) expect(grant).toBeTruthy();
  });
});
