import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Requester } from '../../src/application/ports.js';
import { KeyString } from '../../src/domain/keys/key-string.js';
import { keyProofsIn } from '../../src/domain/leaks/key-proof.js';
import type { LeakReport } from '../../src/domain/leaks/leak-report.js';
import { FINDINGS_OF_SERVICE, REQUESTS_OF_NETWORK } from '../../src/domain/leaks/report-budget.js';
import { MINUTE_MS } from '../../src/domain/time.js';
import { client, tally, times } from '../support/application/calls.js';
import type { World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const SERVICE: Requester = { name: 'service:gitlab', isKnown: true };
const stranger = (): Requester => ({ name: randomUUID(), isKnown: false });

function report(keys = 1): LeakReport {
  const text = times(keys, () => KeyString.generate('lk').reveal()).join(' ');
  const reporter = { actorId: 'service:gitlab', client: client() };
  return { keys: keyProofsIn(text), reporter, source: 'Zoë’s "scanner"', url: 'https://git.example/x?y=1' };
}

describe.each(WORLDS)('LeakReports %s', (_name, open, onPostgres) => {
  let world: World;
  // Each test has a store of its own, because every caller of `workOff` gets every report.
  beforeEach(async () => {
    world = await open();
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
  const all = (reports: readonly LeakReport[]) => Promise.resolve(reports);
  /** The reports that are passed on. All of them are processed. */
  const rest = async (limit = 100): Promise<readonly LeakReport[]> => {
    let seen: readonly LeakReport[] = [];
    await world.leakReports.workOff(limit, (reports) => all((seen = reports)));
    return seen;
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

  test('returns how many reports it handed over, whatever happened to them', async () => {
    await take(SERVICE, report(), report(), report());
    expect(await world.leakReports.workOff(2, () => Promise.resolve([]))).toBe(2);
    expect(await world.leakReports.workOff(5, all)).toBe(3);
    expect(await world.leakReports.workOff(5, () => Promise.reject(new Error('called without a report')))).toBe(0);
  });

  test('hands over again the reports that were not worked off', async () => {
    const [first, second] = [report(), report()];
    await take(SERVICE, first, second);
    await world.leakReports.workOff(5, async (reports) => reports.slice(1));
    await expect(world.leakReports.workOff(5, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await rest()).toEqual([first]);
  });

  if (onPostgres) {
    test('hands each report to one caller at a time', async () => {
      const [first, second] = [report(), report()];
      await take(SERVICE, first);
      let other: readonly LeakReport[] = [];
      await world.leakReports.workOff(5, async (reports) => {
        await take(SERVICE, second);
        other = await rest();
        return reports;
      });
      expect(other).toEqual([second]);
      expect(await rest()).toEqual([]);
    });
  }

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
    expect(await rest(10_000)).toHaveLength(9000);
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
