import { expect, test } from '@jest/globals';
import { readCheck } from './read-check.js';
import type { CheckRequest__Output } from '../generated/types.js';

const READS = [{ key: 'permission', value: 'systems:read' }];
const check = (method: string, authorization: string[], contextExtensions = READS): CheckRequest__Output => ({
  attributes: {
    source: null,
    request: {
      http: {
        id: '',
        method,
        path: '/systems?a=..;',
        host: '',
        headers: authorization.map((value) => ({ key: 'authorization', value })),
        headerMap: null,
      },
    },
    contextExtensions,
  },
});

test('takes the credential from a single Authorization header, and from none of two', () => {
  expect(readCheck(check('GET', ['Bearer a'])).credential).toBe('a');
  expect(readCheck(check('GET', ['Bearer a', 'Bearer a'])).credential).toBeUndefined();
  expect(readCheck(check('GET', [])).credential).toBeUndefined();
});

test('reads the headers that Envoy sends with encode_raw_headers', () => {
  const rawCheck = (...values: string[]): CheckRequest__Output => {
    const headers = values.map((value) => ({ key: 'authorization', value: '', rawValue: Buffer.from(value) }));
    const http = { id: '', method: 'GET', path: '/', host: '', headers: [], headerMap: { headers } };
    return { attributes: { source: null, request: { http }, contextExtensions: READS } };
  };
  expect(readCheck(rawCheck('Bearer a')).credential).toBe('a');
  expect(readCheck(rawCheck('Bearer a', 'Bearer a')).credential).toBeUndefined();
});

test.each([
  ['GET', 'read'],
  ['HEAD', 'read'],
  ['OPTIONS', 'read'],
  ['POST', 'write'],
  ['PUT', 'write'],
  ['PATCH', 'write'],
  ['DELETE', 'destroy'],
  ['TRACE', 'destroy'],
  ['get', 'destroy'],
  ['', 'destroy'],
])('maps the method %j to the operation %s', (method, operation) => {
  expect(readCheck(check(method, [])).question).toEqual({ operation, permission: 'systems:read', clientAddress: null });
});

test.each([null, { source: null, request: null, contextExtensions: READS }])(
  'closes an incomplete request (%j) to every key',
  (attributes) => {
    const { credential, question, client } = readCheck({ attributes });
    expect([credential, question.operation]).toEqual([undefined, 'destroy']);
    expect(client).toEqual({ ip: null, userAgent: null, requestId: null });
  },
);

test.each([
  '/systems/%252e%252e/users',
  '/systems/..%2fusers',
  '/systems/;a',
  '/systems/%ff',
  '/systems/%0a',
  '//',
  '',
])('closes the path %j to every key, because two servers could read it differently', (path) => {
  const { attributes } = check('GET', []);
  const http = { ...attributes!.request!.http!, path };
  const { question, fault } = readCheck({ attributes: { ...attributes!, request: { http } } });
  expect([question.operation, fault]).toEqual(['destroy', undefined]);
});

test('closes a route with an invalid setting to every key, and does not repeat the setting', () => {
  const { question, fault } = readCheck(check('GET', [], [{ key: 'permission', value: 'hunter2' }]));
  expect(question).toEqual({ operation: 'destroy', permission: '', clientAddress: null });
  expect(fault).not.toContain('hunter2');
});

test.each([
  ['no forwarded header', [], '203.0.113.9'],
  ['what Envoy itself appends', ['203.0.113.9'], '203.0.113.9'],
  ['a claim of the client', ['198.51.100.7,203.0.113.9'], null],
  ['a claim of the client, without what Envoy appends', ['198.51.100.7'], null],
  ['a claim in a line of its own', ['198.51.100.7', '203.0.113.9'], null],
  ['nobody', [''], null],
])('vouches for the peer of Envoy, with %s in X-Forwarded-For', (_, forwardedFor, address) => {
  const { attributes } = check('GET', []);
  const headers = forwardedFor.map((value) => ({ key: 'x-forwarded-for', value }));
  const source = { address: { socketAddress: { address: '203.0.113.9' } } };
  const request = { http: { ...attributes!.request!.http!, headers } };
  const { question, client } = readCheck({ attributes: { ...attributes!, source, request } });
  expect([question.clientAddress, client.ip]).toEqual([address, '203.0.113.9']);
});

test('closes a route with a permission template, and says that the permission must be fixed', () => {
  const { question, fault } = readCheck(check('GET', [], [{ key: 'permission', value: 'systems/{id}:read' }]));
  expect(question).toMatchObject({ operation: 'destroy', permission: '' });
  expect(fault).toContain('permission must be fixed');
});
