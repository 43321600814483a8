import { afterAll, beforeAll, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import { randomInt, randomUUID } from 'node:crypto';
import { createDatabase } from '../support/stores/databases.mjs';
import { connectClients } from '../support/callers/grpc-clients.js';
import { printFigures } from '../support/jest/long-form.js';
import { PASSWORD } from '../support/callers/owners.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { medianOf, Sample, welchT } from './statistics.js';

const ACCOUNTS = 40;
const PAIRS = 400;

/** Half of the platform's accounts came with hashes that cost four times as much as ours. At production's cost. */
let database: Awaited<ReturnType<typeof createDatabase>>;
let service: ServiceProcess;
const emails = Array.from({ length: ACCOUNTS }, () => `${randomUUID()}@example.org`);
beforeAll(async () => {
  await buildService();
  database = await createDatabase();
  const env = { DATABASE_URL: database.url, TRUSTED_PROXIES: 'loopback' };
  const first = await ServiceProcess.startReady(env);
  const clients = connectClients(first.target);
  const [dear, ours] = await Promise.all(
    [
      { memoryCost: 65_536, timeCost: 3 },
      { memoryCost: 19_456, timeCost: 2 },
    ].map((cost) => argon2.hash(PASSWORD, { type: argon2.argon2id, parallelism: 1, ...cost })),
  );
  for (const [n, email] of emails.entries()) {
    const passwordHash = n % 2 ? dear! : ours!;
    await clients.putAccount({ id: `u${n}`, email, displayName: '', permissions: [], passwordHash });
  }
  clients.close();
  first.child.kill('SIGTERM');
  await first.ended;
  // A start reads what is stored; a running service does so every ten minutes.
  service = await ServiceProcess.startReady(env);
});
afterAll(async () => {
  await ServiceProcess.killTheRest();
  await database.drop();
});

test("the time of a refused sign-in tells nobody whether an email exists: Welch's |t| < 4.5", async () => {
  let clients = 0;
  const refuse = async (email: string) => {
    clients += 1;
    const forwardedFor = `10.0.${clients >> 8}.${clients & 255}`;
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor };
    const body = JSON.stringify({ email, password: 'x' });
    const start = performance.now();
    const answer = await fetch(`${service.url}/v1/session`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    expect(answer.status).toBe(401);
    return performance.now() - start;
  };
  const [known, unknown] = [new Sample(), new Sample()];
  const all: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const tookKnown = await refuse(emails[randomInt(ACCOUNTS)]!);
    const tookUnknown = await refuse(`${randomUUID()}@example.org`);
    known.add(tookKnown);
    unknown.add(tookUnknown);
    all.known.push(tookKnown);
    all.unknown.push(tookUnknown);
  }
  const t = welchT(known, unknown);
  printFigures('refused sign-ins', {
    'known mean ms': known.mean.toFixed(1),
    'unknown mean ms': unknown.mean.toFixed(1),
    'known median ms': medianOf(all.known).toFixed(1),
    'unknown median ms': medianOf(all.unknown).toFixed(1),
    t: t.toFixed(2),
  });
  expect(Math.abs(t)).toBeLessThan(4.5);
});
