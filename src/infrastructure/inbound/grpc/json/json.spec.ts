import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadProto } from '../protos.js';
import { jsonReader } from './read-json.js';
import { jsonWriter } from './write-json.js';

const files = ['latchkey/v1/account_service.proto', 'latchkey/v1/api_key_service.proto'];
const roots = files.map((file) => loadProto(file).resolveAll());
const typeOf = (name: string) => {
  const root = roots.find((each) => each.lookup(`latchkey.v1.${name}`));
  return root!.lookupType(`latchkey.v1.${name}`);
};

/** What a request reads as, by the library's own conversion of the bytes. */
function read(name: string, json: string | Buffer): unknown {
  const bytes = jsonReader(typeOf(name))(Buffer.from(json));
  const type = typeOf(name);
  return type.toObject(type.decode(bytes), { longs: String, enums: String });
}
const problem = (name: string, json: string | Buffer): string => {
  try {
    return `read: ${JSON.stringify(read(name, json))}`;
  } catch (error) {
    return (error as Error).message;
  }
};
const write = (name: string, message: object) => {
  const type = typeOf(name);
  return JSON.parse(jsonWriter(type)(type.encode(type.fromObject(message)).finish())) as Record<string, unknown>;
};

describe('a request as JSON', () => {
  test('is read as the message that it describes', () => {
    const json = `{ "requestId":"r\\u00e9\\n", "authorization":"", "operation":"OPERATION_WRITE",
      "leaseWish": {"uses": 4294967295, "understands": ["KEY_RESTRICTION_NETWORKS"]} }\n`;
    expect(read('ValidateKeyRequest', json)).toEqual({
      requestId: 'ré\n',
      authorization: '',
      operation: 'OPERATION_WRITE',
      leaseWish: { uses: 4294967295, understands: ['KEY_RESTRICTION_NETWORKS'] },
    });
    expect(read('ValidateKeyRequest', '{}')).toEqual({});
    const version = '{"id":"a","version":18446744073709551615,"kind":"ACCOUNT_KIND_SERVICE","permissions":["a:b"]}';
    expect(read('PutAccountRequest', version)).toMatchObject({ version: '18446744073709551615', permissions: ['a:b'] });
    expect(read('PutAccountRequest', '{"version":"7"}')).toEqual({ version: '7' });
    expect(read('ListKeysRequest', '{"lastUsedBefore":"2026-01-31T10:00:00.5+01:00"}')).toEqual({
      lastUsedBefore: { seconds: '1769850000', nanos: 500_000_000 },
    });
  });

  test('may have any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(read('ValidateKeyRequest', JSON.stringify({ requestId: text }))).toEqual({
          ...(text && { requestId: text }),
        });
      }),
    );
  });

  test('is refused where JSON.parse refuses it, and never read as something else', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"apiKey"',
      '"a"',
      '1',
      '01',
      '-',
      'true',
      'nul',
      ' ',
      '\\',
      '\u0001',
      '"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (tokens) => {
        const json = tokens.join('');
        const parsed = problem('ValidateKeyRequest', json);
        if (!parsed.startsWith('read: ')) return;
        expect(JSON.parse(json)).toEqual(JSON.parse(parsed.slice('read: '.length)));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [
      'ValidateKeyRequest',
      '{"permision":"a:read"}',
      'permision is not a field: ValidateKeyRequest has requestId, apiKey',
    ],
    ['ValidateKeyRequest', '{"api_key":"x"}', 'api_key is not a field'],
    ['ValidateKeyRequest', '{"__proto__":"x"}', '__proto__ is not a field'],
    ['ValidateKeyRequest', '{"permission":"a:read","permission":""}', 'permission occurs twice'],
    ['ValidateKeyRequest', '{"permission":"a:read","p\\u0065rmission":""}', 'permission occurs twice'],
    ['ValidateKeyRequest', '{"permission":null}', 'permission must not be null: leave it out'],
    ['ValidateKeyRequest', '{"leaseWish":{"uses":null}}', 'leaseWish.uses must not be null'],
    ['ValidateKeyRequest', '{"leaseWish":null}', 'leaseWish must not be null'],
    ['ValidateKeyRequest', '{"apiKey":"","authorization":""}', 'authorization and apiKey exclude each other'],
    ['ValidateKeyRequest', '{"apiKey":7}', 'apiKey must be text'],
    ['ValidateKeyRequest', '{"apiKey":["x"]}', 'apiKey must be text'],
    ['ValidateKeyRequest', `{"apiKey":${'['.repeat(60_000)}`, 'apiKey must be text'],
    ['ValidateKeyRequest', `{"apiKey":${'{"a":'.repeat(10_000)}`, 'apiKey must be text'],
    ['ValidateKeyRequest', '{"apiKey":"\\ud800"}', 'apiKey has half of a surrogate pair'],
    ['ValidateKeyRequest', '{"operation":1}', 'operation must be one of OPERATION_UNSPECIFIED, OPERATION_READ'],
    ['ValidateKeyRequest', '{"operation":"READ"}', 'operation must be one of'],
    ['ValidateKeyRequest', '{"operation":"constructor"}', 'operation must be one of'],
    ['ValidateKeyRequest', '{"leaseWish":{"uses":-1}}', 'leaseWish.uses must be a whole number from 0 to 4294967295'],
    ['ValidateKeyRequest', '{"leaseWish":{"uses":4294967296}}', 'leaseWish.uses must be a whole number'],
    ['ValidateKeyRequest', '{"leaseWish":{"uses":1.5}}', 'leaseWish.uses must be a whole number'],
    ['ReportUsesRequest', '{"uses":{}}', 'uses must be a list'],
    ['ReportUsesRequest', '{"uses":[{},{"count":"x"}]}', 'uses[1].count must be a whole number'],
    ['ReportUsesRequest', '{"uses":[null]}', 'uses[0] must not be null'],
    ['PutAccountRequest', '{"version":18446744073709551616}', 'version must be a whole number'],
    ['PutAccountRequest', '{"password":"a","passwordHash":"b"}', 'passwordHash and password exclude each other'],
    ['ListKeysRequest', '{"lastUsedBefore":"yesterday"}', 'lastUsedBefore must be a time like'],
    ['ListKeysRequest', '{"expiresBefore":"2026-02-30T10:00:00Z"}', 'expiresBefore must be a time like'],
    ['ValidateKeyRequest', '{"apiKey":"x",}', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '{"apiKey":}', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '{"apiKey":"x"} {}', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '{"apiKey":"x"', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '{"apiKey":"\n"}', 'The body is not valid JSON'],
    ['ValidateKeyRequest', `{"apiKey":"${'\\\\'.repeat(30_000)}`, 'The body is not valid JSON'],
    ['ValidateKeyRequest', '{apiKey:"x"}', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '\ufeff{}', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '', 'The body is not valid JSON'],
    ['ValidateKeyRequest', '[]', 'The body must be one JSON object'],
    ['ValidateKeyRequest', 'null', 'The body must be one JSON object'],
    ['ValidateKeyRequest', Buffer.from('{"apiKey":"\xff"}', 'latin1'), 'The body is not valid UTF-8'],
  ])('%s %s is refused', (name, json, expected) => {
    expect(problem(name, json)).toMatch(new RegExp(`^${expected.replace(/[[\]()]/g, String.raw`\$&`)}`));
  });

  test('never has its credential in the error, even as the name of a field', () => {
    const key = `lk_${'a'.repeat(24)}.${'b'.repeat(64)}`;
    expect(problem('ValidateKeyRequest', `{"${key}":1}`)).not.toContain('bbbb');
    expect(problem('ValidateKeyRequest', `{"${'x'.repeat(5000)}":1}`).length).toBeLessThan(400);
  });
});

describe('an answer as JSON', () => {
  test('has defaults, enums by name, durations, times and large numbers as text', () => {
    const denial = {
      reason: 4,
      httpStatus: 401,
      message: 'invalid api key',
      retryAfter: { seconds: 1, nanos: 500_000_000 },
    };
    expect(
      write('ValidateKeyResponse', {
        requestId: 'r',
        denial,
        rateLimit: { limit: 100, resetAfter: { nanos: 50_000 } },
      }),
    ).toEqual({
      requestId: 'r',
      denial: { ...denial, reason: 'REASON_OWNER_SUSPENDED', retryAfter: '1.500s', keyId: '', ownerId: '' },
      rateLimit: { limit: 100, remaining: 0, resetAfter: '0.000050s' },
    });
    const grant = {
      keyId: 'k',
      access: 'ACCESS_LEVEL_READ_ONLY',
      expiresAt: { seconds: 1_769_850_000, nanos: 120_000_000 },
    };
    expect(write('ValidateKeyResponse', { grant })).toEqual({
      requestId: '',
      grant: {
        keyId: 'k',
        ownerId: '',
        access: 'ACCESS_LEVEL_READ_ONLY',
        permissions: [],
        expiresAt: '2026-01-31T09:00:00.120Z',
        attributes: [],
      },
    });
    expect(write('Account', { id: 'a', version: '18446744073709551615', status: 1 })).toMatchObject({
      version: '18446744073709551615',
      displayName: '',
      permissions: [],
      status: 'ACCOUNT_STATUS_ACTIVE',
    });
    expect(write('Key', {})).toMatchObject({ imported: false, status: 'KEY_STATUS_UNSPECIFIED', permissions: [] });
    expect(write('ReportUsesResponse', {})).toEqual({});
  });

  test('has its fields in the order of the contract, which scripts without a parser of JSON rely on', () => {
    const rotated = write('RotateKeyResponse', { key: { id: 'new', permissions: ['systems:read'] }, fullKey: 'lk_' });
    expect(Object.keys(rotated)).toEqual(['key', 'fullKey']);
    const fields = ['id', 'ownerId', 'name', 'access', 'prefix', 'status', 'permissions'];
    expect(Object.keys(rotated['key'] as object).slice(0, fields.length)).toEqual(fields);
  });
});
