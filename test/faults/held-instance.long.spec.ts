import { randomInt, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CHEAP_HASH } from '../support/application/cheap.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { shortOrLong, printFigures } from '../support/jest/long-form.js';
import type { Person } from '../support/callers/person.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { Requester } from './requester.js';
import { inTurn, type Outcome } from './measure.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const ROUNDS = shortOrLong(4, 200);
const QUESTIONS = 25;
/** Blocks a process when it gets SIGUSR2, for as long as this file exists. The process reports that it is blocked. */
const BLOCK = join(tmpdir(), `block-${randomUUID()}`);
const BLOCKABLE = `
  import { existsSync } from 'node:fs';
  process.on('SIGUSR2', () => {
    process.stderr.write('blocked');
    while (existsSync('${BLOCK}')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  });`;

describe('one of two instances', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let held: ServiceProcess;
  let other: Service;
  let [toHeld, toOther]: Requester[] = [];
  let person: Person;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(BLOCKABLE)}`;
    const env = { DATABASE_URL: database.url, ...UNLIMITED };
    [held, other] = await Promise.all([ServiceProcess.startReady({ ...env, NODE_OPTIONS }), startService(env)]);
    [toHeld, toOther] = [new Requester(held.target), new Requester(other.grpcTarget)];
    // This test is not about argon2.
    await sql(database.url, 'UPDATE accounts SET password_hash = $1', [CHEAP_HASH]);
    person = await other.person().signIn();
  });
  afterAll(async () => {
    for (const requester of [toHeld, toOther]) requester?.close();
    await ServiceProcess.killTheRest();
    await other.stop();
    await database.drop();
  });

  const count = (outcomes: Outcome[], outcome: Outcome) => outcomes.filter((one) => one === outcome).length;

  test('grants no call that came after a revocation, although it was stopped during the revocation', async () => {
    const figures = { before: 0, 'of them granted': 0, after: 0, 'of them denied': 0, 'wrong grants': 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { apiKey, fullKey } = await person.newKey();
      expect(new Set(await toHeld!.send(fullKey, 1))).toEqual(new Set(['grant']));
      // Stops the process at any point of its work.
      const before = [toHeld!.send(fullKey, QUESTIONS)];
      await pause(randomInt(5));
      held.child.kill('SIGSTOP');
      before.push(toHeld!.send(fullKey, QUESTIONS));
      expect((await person.revoke(apiKey.id)).status).toBe(200);
      const after = toHeld!.send(fullKey, QUESTIONS);
      // Some questions wait when the process resumes, others arrive just then.
      await pause(randomInt(5));
      held.child.kill('SIGCONT');
      const later = toHeld!.send(fullKey, QUESTIONS);
      const [early, late] = [(await Promise.all(before)).flat(), [...(await after), ...(await later)]];
      figures.before += early.length;
      figures['of them granted'] += count(early, 'grant');
      figures.after += late.length;
      figures['of them denied'] += count(late, 'denial');
      figures['wrong grants'] += count(late, 'grant');
    }
    printFigures('SIGSTOP during a revoke', { rounds: ROUNDS, ...figures });
    expect(figures['wrong grants']).toBe(0);
    expect(figures['of them denied']).toBe(figures.after);
  });

  test('is blocked while the other serves, and then grants the calls that waited', async () => {
    const { apiKey, fullKey } = await person.newKey();
    const { apiKey: lost, fullKey: lostKey } = await person.newKey();
    writeFileSync(BLOCK, '');
    held.child.kill('SIGUSR2');
    await eventually(async () => held.err.includes('blocked'));
    const order: string[] = [];
    const waiting = toHeld!.send(fullKey, QUESTIONS);
    void waiting.then(() => order.push('the waiting calls are answered'));
    expect((await person.revoke(lost.id)).status).toBe(200);
    const late = toHeld!.send(lostKey, QUESTIONS);
    const atOther = await inTurn(50, () => toOther!.send(fullKey, 1));
    order.push('it is released');
    rmSync(BLOCK);
    const [good, revoked] = [await waiting, await late];
    printFigures('event loop blocked', {
      grants: count(good, 'grant'),
      'not granted': good.length - count(good, 'grant'),
      'grants of the revoked key': count(revoked, 'grant'),
      'median ms on the other': atOther.medianMs.toFixed(1),
    });
    expect(order).toEqual(['it is released', 'the waiting calls are answered']);
    expect(new Set(atOther.outcomes.flat())).toEqual(new Set(['grant']));
    expect([new Set(good), new Set(revoked)]).toEqual([new Set(['grant']), new Set(['denial'])]);
    await person.revoke(apiKey.id);
  });
});
