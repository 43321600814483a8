import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Guard, createGuard } from '../guard.js';
import type { DecisionEvent } from '../hooks.js';
import type { Question } from '../question.js';
import { denied, granted } from '../testing/answers.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';

const READ: Question = {
  authorization: ['Bearer k'],
  method: 'GET',
  permission: 'systems:read',
  clientIp: '192.0.2.1',
};
/** So long that no test sees its end. */
const LEASE = { lengthMs: 600_000, uses: 1000, hasOwnPermissions: false, allowedNetworks: [] };

let latchkey: ScriptedLatchkey;
let decisions: DecisionEvent[];
let guard: Guard;

beforeEach(async () => {
  latchkey = new ScriptedLatchkey();
  decisions = [];
  await latchkey.start();
  latchkey.leases(LEASE, granted());
  await open();
});

afterEach(() => {
  guard.close();
  latchkey.stop();
});

async function open(leases = true): Promise<void> {
  guard?.close();
  const onDecision = (event: DecisionEvent) => decisions.push(event);
  guard = createGuard({ target: latchkey.target, serviceToken: 'token', deadlineMs: 5000, leases, onDecision });
  await eventually(() => latchkey.streams.size === 2);
}

const uses = () => latchkey.reports.flatMap(({ report }) => report.uses);

test('further requests of a key are granted from its lease, with what is left of the limit', async () => {
  const first = await guard.check(READ);
  const second = await guard.check({ ...READ, requestId: 'second' });
  const third = await guard.check({ ...READ, method: 'POST', permission: 'systems:write' });
  expect(latchkey.questions).toHaveLength(1);
  expect([first, second, third].map(({ allowed, rateLimit }) => [allowed, rateLimit?.remaining])).toEqual([
    [true, 99],
    [true, 98],
    [true, 97],
  ]);
  expect(second).toEqual({ ...first, rateLimit: { ...first.rateLimit, remaining: 98 } });
  expect(decisions.map(({ source }) => source)).toEqual(['service', 'lease', 'lease']);
  expect(decisions[1]).toMatchObject({ status: 200, operation: 'READ', requestId: 'second' });
  expect(guard.leases()).toEqual({ held: 1, spent: 2, recalled: 0 });
});

test.each<[string, Partial<Question>]>([
  ['another permission', { permission: 'reports:read' }],
  ['another operation', { method: 'DELETE' }],
  ['another client address', { clientIp: '198.51.100.1' }],
  ['an unknown client address', { clientIp: '' }],
  ['another credential', { authorization: ['Bearer K'] }],
  ['a second Authorization header', { authorization: ['Bearer k', 'Bearer k'] }],
  ['no Authorization header', { authorization: [] }],
])('the service decides about %s', async (_what, difference) => {
  latchkey.leases({ ...LEASE, allowedNetworks: ['192.0.2.0/24'] }, granted());
  await guard.check(READ);
  latchkey.answers(denied());
  expect(await guard.check(READ)).toMatchObject({ allowed: true });
  expect(await guard.check({ ...READ, ...difference })).toMatchObject({ status: 401 });
  expect(latchkey.questions).toHaveLength(2);
});

test('a key with permissions of its own needs one with the action, where the request names none', async () => {
  const any = { ...READ, permission: '', method: 'POST' };
  latchkey.leases({ ...LEASE, hasOwnPermissions: true }, granted({ permissions: ['systems:read'] }));
  await guard.check(READ);
  latchkey.answers(denied());
  expect(await guard.check({ ...any, method: 'GET' })).toMatchObject({ allowed: true });
  expect(await guard.check(any)).toMatchObject({ status: 401 });
});

test('an address is read as the service reads it', async () => {
  latchkey.leases({ ...LEASE, allowedNetworks: ['192.0.2.0/24', 'fe80::/10'] }, granted());
  await guard.check(READ);
  for (const clientIp of ['::ffff:192.0.2.1', '::FFFF:c000:0201', 'fe80::1%eth0', '192.0.2.9%1']) {
    expect(await guard.check({ ...READ, clientIp })).toMatchObject({ allowed: true });
  }
  expect(latchkey.questions).toHaveLength(1);
});

test('a recalled lease is given back at once, on the stream that brought the recall, and grants nothing more', async () => {
  await guard.check(READ);
  latchkey.recall(1);
  await eventually(() => latchkey.reports.length === 2);
  expect(new Set(latchkey.reports.map(({ stream }) => stream))).toEqual(new Set(latchkey.streams));
  expect(latchkey.reports.map(({ report }) => report.givenBack)).toEqual([['1'], ['1']]);
  expect(guard.leases()).toMatchObject({ held: 0 });
  latchkey.answers(denied());
  expect(await guard.check(READ)).toMatchObject({ status: 401 });
});

test('a lease that is recalled in the same packet as its answer grants nothing', async () => {
  latchkey.answersByStream = (stream, reply) => {
    reply(null, { ...granted(), lease: { ...LEASE, id: 1 } });
    stream.write({ recall: { ids: [1] } });
  };
  await guard.check(READ);
  await eventually(() => latchkey.reports.length === 1);
  await guard.check(READ);
  expect(latchkey.questions).toHaveLength(2);
});

test('the lease of an answer that comes after the deadline is used', async () => {
  guard.close();
  guard = createGuard({
    target: latchkey.target,
    serviceToken: 'token',
    deadlineMs: 100,
    leases: true,
    logFailures: false,
  });
  let answer = () => undefined as void;
  latchkey.script = (_, reply) => (answer = () => reply(null, { ...granted(), lease: { ...LEASE, id: 1 } }));
  await eventually(async () => (await guard.check(READ)).allowed === false && latchkey.questions.length > 0);
  answer();
  await eventually(() => guard.leases().held === 1);
  latchkey.hangs();
  expect(await guard.check(READ)).toMatchObject({ allowed: true });
});

test('one call at a time asks for a lease on the same key', async () => {
  const replies: (() => void)[] = [];
  latchkey.script = (_, reply) => replies.push(() => reply(null, granted()));
  const checks = [guard.check(READ), guard.check(READ), guard.check({ ...READ, authorization: ['Bearer other'] })];
  await eventually(() => replies.length === 3);
  for (const reply of replies) reply();
  await Promise.all(checks);
  const wishes = () => latchkey.questions.map(({ authorization, leaseWish }) => `${authorization} ${leaseWish?.uses}`);
  expect(wishes().sort()).toEqual(['Bearer k 1', 'Bearer k undefined', 'Bearer other 1']);
  latchkey.answers(denied());
  await guard.check(READ);
  expect(wishes().at(-1)).toBe('Bearer k 1');
});

test('uses are reported once, by key and address, within about a second', async () => {
  const reported = () =>
    uses().reduce<Record<string, number>>((sums, { keyId, clientIp, count }) => {
      const from = `${keyId} ${clientIp}`;
      return { ...sums, [from]: (sums[from] ?? 0) + Number(count) };
    }, {});
  await guard.check(READ);
  for (const clientIp of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) await guard.check({ ...READ, clientIp });
  await eventually(() => uses().length > 0);
  await guard.check(READ);
  await eventually(() => reported()['key-1 192.0.2.1'] === 3);
  guard.close();
  await eventually(() => latchkey.streams.size === 0);
  expect(reported()).toEqual({ 'key-1 192.0.2.1': 3, 'key-1 192.0.2.2': 1 });
});

test('the last uses are reported when the guard is closed, which then grants nothing', async () => {
  await guard.check(READ);
  await guard.check(READ);
  guard.close();
  await eventually(() => uses().length === 1);
  expect(await guard.check(READ)).toMatchObject({ status: 503 });
});

test('without the option, a guard asks for no lease and uses none', async () => {
  await open(false);
  latchkey.answers({ ...granted(), lease: { ...LEASE, id: 1 } });
  await guard.check(READ);
  await guard.check(READ);
  expect(latchkey.questions.map(({ leaseWish }) => leaseWish)).toEqual([null, null]);
  expect(guard.leases()).toEqual({ held: 0, spent: 0, recalled: 0 });
});
