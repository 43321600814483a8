import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DecisionEvent, DenialEvent } from '../hooks.js';
import type { GuardOptions } from '../options.js';
import { denied, granted } from '../testing/answers.js';
import { EVERY_FRAMEWORK } from '../testing/every-framework.js';
import { sendRaw } from '../testing/raw-http.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';

const latchkey = new ScriptedLatchkey();
const decisions: DecisionEvent[] = [];
const denials: DenialEvent[] = [];
const options = (): GuardOptions => ({
  ...latchkey.options,
  serviceToken: 'token',
  onDecision: (event) => decisions.push(event),
  onDenied: (event) => denials.push(event),
});

beforeAll(() => latchkey.start());
afterAll(() => latchkey.stop());
beforeEach(() => {
  latchkey.questions.length = decisions.length = denials.length = 0;
  latchkey.script = ({ authorization, permission, operation }, reply) => {
    if (authorization !== 'Bearer lk_key') return reply(null, denied());
    if (operation === 'OPERATION_DESTROY') {
      return reply(null, denied({ httpStatus: 403, reason: 'REASON_OPERATION_NOT_ALLOWED' }));
    }
    const isAllowed = permission === 'systems/sys-1:read';
    reply(null, isAllowed ? granted() : denied({ httpStatus: 403, reason: 'REASON_MISSING_PERMISSION' }));
  };
});

const KEY = 'Authorization: Bearer lk_key';

describe.each(EVERY_FRAMEWORK)('a permission with a parameter, in %s', (_, start) => {
  let running: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    running = await start(options(), false);
  });
  afterAll(async () => {
    await running.stop();
  });
  const get = (path: string, headers = [KEY]) => sendRaw(running.server, `GET ${path}`, headers);

  it('lets a key through to the one that it may read, and to no other', async () => {
    expect(await get('/systems/sys-1')).toMatchObject({ status: 200, body: '{"id":"sys-1"}' });
    expect(await get('/systems/sys-2')).toMatchObject({ status: 403, body: '{"message":"operation not allowed"}' });
    expect(await get('/systems/SYS-1')).toMatchObject({ status: 403 });
    const asked = latchkey.questions.map(({ permission }) => permission);
    expect(asked).toEqual(['systems/sys-1:read', 'systems/sys-2:read', 'systems/SYS-1:read']);
    expect(decisions.map(({ permission }) => permission)).toEqual(new Array(3).fill('systems/{id}:read'));
    expect(denials.map(({ permission }) => permission)).toEqual(['systems/sys-2:read', 'systems/SYS-1:read']);
  });

  it('takes the value that the handler gets', async () => {
    expect(await get('/systems/%73ys-1')).toMatchObject({ status: 200, body: '{"id":"sys-1"}' });
    expect(await get('/systems/sys-1?id=sys-2')).toMatchObject({ status: 200, body: '{"id":"sys-1"}' });
  });

  it.each([
    'sys-1%2Fx',
    'sys-1%2f',
    '%2e%2e%2fsys-1',
    'sys-1%252Fx',
    'sys-1%25',
    'sys-1%5Cx',
    'sys-1%00',
    'sys-1%20',
    'sys-1:read',
    '...',
    '*',
    's%D1%83s-1',
    'x'.repeat(93),
  ])('asks for an operation that no key may do if the value is %s', async (id) => {
    expect(await get(`/systems/${id}`)).toMatchObject({ status: 403, body: '{"message":"operation not allowed"}' });
    expect(latchkey.questions).toMatchObject([{ operation: 'OPERATION_DESTROY', permission: '' }]);
    expect(denials).toMatchObject([{ reason: 'OPERATION_NOT_ALLOWED', permission: 'systems/{id}:read' }]);
  });

  it('names an address that is not allowed to onDenied, and not to the client', async () => {
    latchkey.answers(denied({ httpStatus: 403, reason: 'REASON_ADDRESS_NOT_ALLOWED', keyId: 'key-1' }));
    const { status, headers, body } = await get('/systems/sys-1');
    expect([status, body]).toEqual([403, '{"message":"operation not allowed"}']);
    for (const name of ['www-authenticate', 'ratelimit', 'ratelimit-policy']) expect(headers).not.toHaveProperty(name);
    expect(denials).toMatchObject([{ reason: 'ADDRESS_NOT_ALLOWED', keyId: 'key-1', clientIp: '127.0.0.1' }]);
  });

  it('answers 401 to a client without a good key, whatever the value is', async () => {
    for (const id of ['sys-1', 'sys-1%2Fx']) expect(await get(`/systems/${id}`, [])).toMatchObject({ status: 401 });
    expect(latchkey.questions).toHaveLength(2);
  });
});

const UNTRUSTED = '192.0.2.7';
const TRUSTED = 'loopback';

describe.each(EVERY_FRAMEWORK)("the client's address, in %s", (_, start) => {
  const askedFrom = async (trust: string | false, headers: string[], differences: Partial<GuardOptions> = {}) => {
    const running = await start({ ...options(), ...differences }, trust);
    await sendRaw(running.server, 'GET /systems/sys-1', [KEY, ...headers]);
    await running.stop();
    return latchkey.questions.at(-1)!.clientIp;
  };

  it.each([
    ['no proxy', false, [], '127.0.0.1'],
    ['no proxy, and a claim', false, ['X-Forwarded-For: 192.0.2.1'], ''],
    ['no proxy, and two claims', false, ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: 127.0.0.1'], ''],
    ['no proxy, and an empty claim', false, ['X-Forwarded-For:'], ''],
    ['no proxy, and a claim by Forwarded', false, ['Forwarded: for=192.0.2.1'], ''],
    ['no proxy, and a claim by X-Real-IP', false, ['X-Real-IP: 192.0.2.1'], ''],
    ['another proxy than the trusted one', UNTRUSTED, ['X-Forwarded-For: 192.0.2.1'], ''],
    ['no proxy where one is trusted', TRUSTED, [], '127.0.0.1'],
    ['the trusted proxy', TRUSTED, ['X-Forwarded-For: 192.0.2.1'], '192.0.2.1'],
    ['a proxy that appends, after a claim', TRUSTED, ['X-Forwarded-For: 198.51.100.9, 192.0.2.1'], '192.0.2.1'],
    [
      'a proxy that adds a line, after a claim',
      TRUSTED,
      ['X-Forwarded-For: a', 'X-Forwarded-For: 192.0.2.1'],
      '192.0.2.1',
    ],
    ['two trusted proxies', TRUSTED, ['X-Forwarded-For: 192.0.2.1, 127.0.0.2'], '192.0.2.1'],
    ['the trusted proxy, for itself', TRUSTED, ['X-Forwarded-For: 127.0.0.1'], '127.0.0.1'],
    ['a trusted proxy that does not know', TRUSTED, ['X-Forwarded-For: unknown'], ''],
    ['a trusted proxy that adds a port', TRUSTED, ['X-Forwarded-For: 192.0.2.1:8080'], '192.0.2.1'],
    ['a trusted proxy that names nobody', TRUSTED, ['X-Forwarded-For:'], ''],
    ['a trusted proxy, and a claim by Forwarded', TRUSTED, ['Forwarded: for=192.0.2.1'], ''],
    [
      'the trusted proxy, and other claims',
      TRUSTED,
      ['X-Forwarded-For: 192.0.2.1', 'X-Real-IP: 192.0.2.9'],
      '192.0.2.1',
    ],
  ] as const)('is right or unknown with %s', async (_, trust, headers, address) => {
    expect(await askedFrom(trust, [...headers])).toBe(address);
  });

  it('is what the option clientAddress finds in the headers', async () => {
    const clientAddress: GuardOptions['clientAddress'] = ({ headers }) => headers?.['cf-connecting-ip'];
    expect(
      await askedFrom(false, ['CF-Connecting-IP: 192.0.2.1', 'X-Forwarded-For: 192.0.2.9'], { clientAddress }),
    ).toBe('192.0.2.1');
    expect(await askedFrom(false, [], { clientAddress })).toBe('');
  });
});
