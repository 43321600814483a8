import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { LeakClaim } from '#application/leak-ports.js';
import type { Requester } from '#application/sign-in-ports.js';
import { KeyString } from '#domain/keys/key-string.js';
import { keyProofsIn, type LeakReport, FINDINGS_OF_SERVICE, REQUESTS_OF_NETWORK } from '#domain/leaks/leak-report.js';
import { MINUTE_MS } from '#domain/time.js';
import { client, tally, times } from '../support/application/calls.js';
import type { World } from './support/world.js';
import { openPostgresWorld } from './support/postgres-world.js';

const SERVICE: Requester = { name: 'service:gitlab', isKnown: true };
const stranger = (): Requester => ({ name: randomUUID(), isKnown: false });

function report(keys = 1): LeakReport {
  const text = times(keys, () => KeyString.generate('lk').reveal()).join(' ');
  const reporter = { actorId: 'service:gitlab', actorKind: 'service' as const, client: client() };
  return { keys: keyProofsIn(text), reporter, source: 'Zoë’s "scanner"', url: 'https://git.example/x?y=1' };
}

describe('LeakReports on PostgreSQL', () => {
  let world: World;
  // Each test has a store of its own, because `claim` hands over any report.
  beforeEach(async () => {
    world = await openPostgresWorld();
  });
  afterEach(() => world?.close());

  const take = (requester: Requester, ...reports: LeakReport[]) => {
    const { isKnown } = requester;
    const cost = isKnown ? reports.length : 1;
    return world.leakReports.take(reports, requester, {
      budget: isKnown ? FINDINGS_OF_SERVICE : REQUESTS_OF_NETWORK,
      cost,
    });
  };
  const claim = async () => (await world.leakReports.claim(1))[0]!;
  const finish = (...claims: LeakClaim[]) => Promise.all(claims.map((each) => world.leakReports.finished(each)));
  /** The reports that are handed over. All of them are finished. */
  const rest = async (limit = 100): Promise<readonly LeakReport[]> => {
    const claims = await world.leakReports.claim(limit);
    await finish(...claims);
    return claims.map((each) => each.report);
  };

  test('hands over reports as they were accepted, in order and once', async () => {
    const [first, second, third] = [
      report(),
      report(3),
      { ...report(0), source: null, url: null, reporter: { actorId: null, client: client() } },
    ];
    await take(SERVICE, first, second);
    await take(stranger(), third);
    expect(await rest(2)).toEqual([first, second]);
    expect(await rest(2)).toEqual([third]);
    expect(await rest()).toEqual([]);
  });

  test('hands each report to one caller, until ten seconds later its claim has run out', async () => {
    const [first, second] = [report(), report()];
    await take(SERVICE, first);
    const claims = await world.leakReports.claim(5);
    await take(SERVICE, second);
    expect(await rest()).toEqual([second]);
    await world.pass(9999);
    expect(await rest()).toEqual([]);
    await world.pass(1);
    const again = await claim();
    expect(again.report).toEqual(first);
    await finish(...claims);
    await world.leakReports.postpone(claims[0]!, [], 0);
    await world.pass(10_000);
    expect(await rest()).toEqual([first]);
  });

  test('hands each of many reports to one of many callers', async () => {
    await take(SERVICE, ...times(100, () => report(0)));
    const claims = await Promise.all(times(20, () => world.leakReports.claim(10)));
    claims.push(await world.leakReports.claim(100));
    const ids = claims.flat().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
  });

  test('hands over what is left of a report after the pause, and reports that were tried less often before it', async () => {
    const [first, second] = [report(3), report()];
    await take(SERVICE, first);
    const left = first.keys.slice(1);
    const claimed = await claim();
    await world.leakReports.postpone(claimed, left, 1000);
    await finish(claimed);
    await take(SERVICE, second);
    await world.pass(999);
    expect(await world.leakReports.claim(5)).toMatchObject([{ report: second, tries: 0 }]);
    await take(SERVICE, second);
    await world.pass(1);
    expect(await world.leakReports.claim(5)).toMatchObject([
      { report: second, tries: 0 },
      { report: { ...first, keys: left }, tries: 1 },
    ]);
  });

  test('hands over a report at once that is left without a pause, and one whose claim ends late because the clock was set back', async () => {
    await take(SERVICE, report());
    await world.leakReports.postpone(await claim(), [], 0);
    await claim();
    await world.pass(-MINUTE_MS);
    expect(await rest()).toMatchObject([{ keys: [] }]);
  });

  test('accepts 60 reports of a network at once and then one a minute, and stores no refused one', async () => {
    const network = stranger();
    const refused = { code: 'too_many_attempts', details: { retryAfterSeconds: 60 } };
    for (let sent = 0; sent < 60; sent += 1) await take(network, report(0));
    expect(await rest()).toHaveLength(60);
    await expect(take(network, report())).rejects.toMatchObject(refused);
    await take(stranger(), report());
    await take(SERVICE, report());
    expect(await rest()).toHaveLength(2);
    await world.pass(MINUTE_MS);
    await take(network, report());
    await expect(take(network, report())).rejects.toMatchObject(refused);
  });

  test('counts concurrent reports of a network one by one', async () => {
    const network = stranger();
    expect(await tally(times(70, () => take(network, report(0), report(0))))).toEqual({
      ok: 60,
      too_many_attempts: 10,
    });
    expect(await rest(200)).toHaveLength(120);
  });

  test('accepts 9,000 reports at once', async () => {
    await take(SERVICE, ...times(9000, () => report(0)));
    expect(await world.leakReports.claim(10_000)).toHaveLength(9000);
  });

  test('accepts 20,000 found keys of a service at once and then 20,000 an hour, and stores no refused one', async () => {
    const send = (cost: number) => world.leakReports.take([report(0)], SERVICE, { budget: FINDINGS_OF_SERVICE, cost });
    const refused = { code: 'too_many_attempts', details: { retryAfterSeconds: 1 } };
    await send(20_000);
    await expect(send(1)).rejects.toMatchObject(refused);
    await world.pass(MINUTE_MS);
    await expect(send(334)).rejects.toMatchObject(refused);
    await send(333);
    expect(await rest()).toHaveLength(2);
  });
});
