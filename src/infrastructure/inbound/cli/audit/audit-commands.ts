import { once } from 'node:events';
import type { Command } from 'commander';
import type { TimeSpan } from '../../../../application/audit/audit-trail.js';
import type { AuditTrail } from '../../../../application/ports.js';
import { VerifyAuditTrail } from '../../../../application/audit/verify-audit-trail.js';
import type { SealableEvent } from '../../../../domain/audit/audit-seal.js';
import type { Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { onDatabase, sealKeys } from '../environment.js';
import { NOT_DONE, NothingThere, UsageError } from '../failures.js';
import { describeBroken, describeIntact, exportSeal, parseSeal } from './audit-verdicts.js';
import { ProgressBar, WatchedTrail } from './watched-trail.js';

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

interface VerifyOptions {
  readonly exportSeal?: boolean;
  readonly expect?: string;
}

export function addAuditCommands(program: Command, databases: Databases): void {
  const audit = program.command('audit').description('the record of what happened');
  const verify = audit
    .command('verify')
    .description(
      'say whether the sealed record is intact, and keys and accounts are as it has them; needs AUDIT_SEAL_KEY',
    )
    .option('--export-seal', 'print the newest seal, to be kept elsewhere')
    .option('--expect <seal>', 'the line that --export-seal printed earlier must still hold');
  answering(verify, (options: VerifyOptions) => verifyRecord(databases, options));
  audit
    .command('export')
    .description('print the events as JSON lines, oldest first')
    .option('--since <time>', 'from this time on: 2026-11-01 (UTC) or 2026-11-01T08:00:00Z', parseMoment('--since'))
    .option('--until <time>', 'before this time', parseMoment('--until'))
    .option('--json', 'as without it: JSON lines are the one format')
    .action((span: TimeSpan) => reading(databases, (trail) => exportEvents(trail, span)));
}

/** Reads the whole audit trail, without a time limit. */
async function reading<T>(databases: Databases, work: (trail: AuditTrail) => Promise<T>): Promise<T> {
  const bar = new ProgressBar('events');
  try {
    return await onDatabase(databases, ({ trail }) => work(new WatchedTrail(trail, bar)), true);
  } finally {
    bar.clear();
  }
}

/** Waits until stdout has taken the line, so that at most one page is in memory. */
async function exportEvents(trail: AuditTrail, span: TimeSpan): Promise<void> {
  for await (const event of trail.events(span)) {
    if (!process.stdout.write(`${eventLine(event)}\n`)) await once(process.stdout, 'drain');
  }
}

async function verifyRecord(databases: Databases, options: VerifyOptions): Promise<Answer> {
  const expected = options.expect === undefined ? undefined : parseSeal(options.expect);
  const keys = sealKeys();
  const trail = await reading(databases, (record) => new VerifyAuditTrail(record, keys).execute(expected));
  if (!trail.intact) return { ...describeBroken(trail), exitCode: NOT_DONE };
  if (!options.exportSeal) return describeIntact(trail);
  if (!trail.newest) throw new NothingThere('there is no seal to export yet');
  return exportSeal(trail.newest);
}

function parseMoment(option: string) {
  return (text: string): Date => {
    const moment = new Date(MOMENT.test(text) ? text : Number.NaN);
    if (!Number.isNaN(moment.getTime())) return moment;
    throw new UsageError(`${option} must be a time such as 2026-11-01 (UTC) or 2026-11-01T08:00:00Z`);
  };
}

/** An event as one line of JSON, with every column that the seal covers. */
function eventLine(event: SealableEvent): string {
  return JSON.stringify({
    id: String(event.id),
    at: event.at.toISOString(),
    type: event.type,
    ownerId: event.ownerId,
    keyId: event.keyId,
    actorId: event.actorId,
    reason: event.reason,
    count: event.count,
    publicPart: event.publicPart,
    clientIp: event.clientIp,
    userAgent: event.userAgent,
    requestId: event.requestId,
    details: event.details,
  });
}
