import { hash } from 'node:crypto';
import { status, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHECK } from '../doors/support/ext-authz.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { bytesOfMessages } from './random-messages.js';
import { shortOrLong } from '../support/jest/long-form.js';

const TRIES = shortOrLong(100, 5000);
const AT_ONCE = 200;
/** The error of grpc-js for bytes that it can't decode. Any other INTERNAL is a fault of the service. */
const UNDECODABLE = 'INTERNAL: Error deserializing request';
const EXPECTED = [
  'OK',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
  UNDECODABLE,
];

/** Of the methods of AccountService that need another role than `accounts`. */
const ROLES: Readonly<Record<string, string>> = { ImportKeys: 'importer', CreateKey: 'issuer', RotateKey: 'issuer' };
const SERVICE_TOKENS = ['validator', 'accounts', 'importer', 'issuer']
  .map((role) => `dev-${role}:${role === 'issuer' ? 'issuer/*' : role}:${hash('sha256', `dev-${role}-token`)}`)
  .join();

describe('random gRPC messages', () => {
  let service: Service;
  let fullKey: string;
  beforeAll(async () => {
    service = await startService({ SERVICE_TOKENS });
    fullKey = (await (await newOwner(service)).person.newKey()).fullKey;
  });
  afterAll(() => service.stop());

  type Method = MethodDefinition<object, object>;
  const methodsOf = (client: object) =>
    Object.values((client.constructor as unknown as { service: Record<string, Method> }).service);

  /** The name of the status; for INTERNAL with its message. */
  function outcomeOf({ path, requestStream }: Method, token: string, bytes: Buffer): Promise<string> {
    const same = (message: Buffer) => message;
    const nameOf = ({ code, details }: Pick<ServiceError, 'code' | 'details'>) =>
      code === status.INTERNAL ? `INTERNAL: ${details}` : status[code];
    const client = service.clients.apiKeys;
    return new Promise((resolve) => {
      if (!requestStream) {
        client.makeUnaryRequest(path, same, same, bytes, bearer(token), {}, (error) =>
          resolve(error ? nameOf(error) : 'OK'),
        );
        return;
      }
      const stream = client.makeBidiStreamRequest(path, same, same, bearer(token), {});
      stream
        .on('error', () => undefined)
        .on('data', () => undefined)
        .on('status', (end) => resolve(nameOf(end)));
      stream.end(bytes);
    });
  }

  test(`cause no internal error on any method, in ${TRIES} tries each`, async () => {
    const { apiKeys, accounts } = service.clients;
    const methods = [
      ...methodsOf(apiKeys).map((method) => ({ method, token: 'dev-validator-token' })),
      ...methodsOf(accounts).map((method) => ({
        method,
        token: `dev-${ROLES[method.path.split('/').at(-1)!] ?? 'accounts'}-token`,
      })),
      { method: CHECK, token: 'dev-validator-token' },
    ];
    expect(methods.length).toBeGreaterThanOrEqual(8);
    const unexpected: string[] = [];
    const counts: Record<string, number> = {};
    for (const { method, token } of methods) {
      const all = fc.sample(bytesOfMessages, TRIES);
      for (let start = 0; start < TRIES; start += AT_ONCE) {
        const some = all.slice(start, start + AT_ONCE).map((bytes) => Buffer.from(bytes));
        const outcomes = await Promise.all(some.map((bytes) => outcomeOf(method, token, bytes)));
        for (const [n, outcome] of outcomes.entries()) {
          counts[outcome] = (counts[outcome] ?? 0) + 1;
          if (!EXPECTED.includes(outcome)) unexpected.push(`${method.path} ${some[n]!.toString('hex')}: ${outcome}`);
        }
      }
    }
    expect(unexpected).toEqual([]);
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['OK', 'INVALID_ARGUMENT', UNDECODABLE]));
    expect((await service.clients.validate(fullKey)).grant).toBeTruthy();
  });
});
