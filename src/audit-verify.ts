import { parseArgs } from 'node:util';
import {
  type BrokenTrail,
  type ExportedSeal,
  type IntactTrail,
  VerifyAuditTrail,
} from './application/verify-audit-trail.js';
import type { AuditSeal } from './domain/audit-seal.js';
import { EnvReader } from './env-reader.js';
import { PostgresAuditTrail } from './infrastructure/postgres/audit-trail.js';
import { createDataSource } from './infrastructure/postgres/data-source.js';
import { Database } from './infrastructure/postgres/database.js';

/** `npm run audit:verify`: 0 the record is intact, 1 it is not, 2 that could not be found out. */
const [INTACT, BROKEN, UNKNOWN] = [0, 1, 2];

try {
  process.exitCode = await main();
} catch (error) {
  for (const text of (error as Error).message.split('\n')) process.stderr.write(`audit:verify: ${text}\n`);
  process.exitCode = UNKNOWN;
}

async function main(): Promise<number> {
  const options = { 'export-seal': { type: 'boolean' }, expect: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const exported = values.expect === undefined ? undefined : parseSeal(values.expect);
  const trail = await verify(exported);
  if (!trail.intact) {
    process.stdout.write(`${describeBroken(trail)}\n`);
    return BROKEN;
  }
  if (!values['export-seal']) process.stdout.write(`${describeIntact(trail)}\n`);
  else if (trail.newest) process.stdout.write(`${exportSeal(trail.newest)}\n`);
  else throw new Error('there is no seal to export yet');
  return INTACT;
}

async function verify(exported: ExportedSeal | undefined): Promise<IntactTrail | BrokenTrail> {
  const reader = new EnvReader(process.env);
  const url = reader.url('DATABASE_URL', ['postgres:', 'postgresql:']) ?? reader.missing('DATABASE_URL');
  const key = reader.secretKey('AUDIT_SEAL_KEY');
  if (!key) reader.missing('AUDIT_SEAL_KEY');
  if (!key || reader.problems.length > 0) throw new Error(reader.problems.join('\n'));
  const dataSource = createDataSource(url);
  try {
    await dataSource.initialize();
    return await new VerifyAuditTrail(new PostgresAuditTrail(new Database(dataSource)), key).execute(exported);
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(`DATABASE_URL: ${cause instanceof Error ? cause.message : message}`, { cause: error });
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

function describeIntact(trail: IntactTrail): string {
  const { newest, sealedEvents, prunedToSealId, unsealedEvents, oldestUnsealedAt } = trail;
  const since = oldestUnsealedAt ? `, the oldest of ${oldestUnsealedAt.toISOString()}` : '';
  return [
    `OK: ${newest?.id ?? 0} seals hold, over ${sealedEvents} events`,
    ...(prunedToSealId > 0n ? [`    the events of the first ${prunedToSealId} seals were deleted by retention`] : []),
    `    ${unsealedEvents} events are not sealed yet${since}`,
  ].join('\n');
}

function describeBroken({ problem, seal }: BrokenTrail): string {
  return `BROKEN: ${seal ? `seal ${seal.id}, events ${seal.fromEventId} to ${seal.toEventId}: ` : ''}${problem}`;
}

function exportSeal({ id, toEventId, sealedAt, mac }: AuditSeal): string {
  const seal = { seal: String(id), toEventId: String(toEventId), sealedAt: sealedAt.toISOString() };
  return JSON.stringify({ ...seal, mac: mac.toString('hex') });
}

function parseSeal(text: string): ExportedSeal {
  try {
    const { seal, mac } = JSON.parse(text) as { seal?: unknown; mac?: unknown };
    if (typeof seal === 'string' && /^[1-9]\d{0,17}$/.test(seal) && typeof mac === 'string') {
      return { id: BigInt(seal), mac: Buffer.from(mac, 'hex') };
    }
  } catch {
    // Told below, like everything else that is no seal.
  }
  throw new Error('--expect must be followed by the line that --export-seal printed');
}
