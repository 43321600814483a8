import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { GuardOptions } from '../options.js';
import { granted } from '../testing/answers.js';
import { EVERY_FRAMEWORK } from '../testing/every-framework.js';
import { sendRaw } from '../testing/raw-http.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';

const latchkey = new ScriptedLatchkey();
const options = (): GuardOptions => ({
  target: latchkey.target,
  serviceToken: 'token',
  deadlineMs: 5000,
});

beforeAll(() => latchkey.start());
afterAll(() => latchkey.stop());
beforeEach(() => latchkey.answers(granted()));

const KEY = 'Authorization: Bearer lk_key';

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
    ['a trusted proxy that adds a port', TRUSTED, ['X-Forwarded-For: 192.0.2.1:8080'], ''],
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
