import type { Command } from '@commander-js/extra-typings';
import type { TimeSpan } from '#application/audit-trail-ports.js';
import type { AuditTrail } from '#application/ports.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { replacing } from '#application/with-transactions.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { actorKindOf } from '#domain/audit/event-details.js';
import { timeIn } from '../../shared/time-text.js';
import type { Databases } from '../administration.js';
import { type Answer, answering, NOT_DONE, NothingThere, printLine, UsageError } from '../answering.js';
import { onDatabase, requiredSealKeys } from '../environment.js';
import { ProgressBar } from '../terminal.js';
import { describeBroken, describeIntact, exportSeal, parseSeal } from './audit-verdicts.js';

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

export function addAuditCommands(program: Command, databases: Databases): void {
  const audit = program.command('audit').description('verify and export the audit trail');
  const verify = audit
    .command('verify')
    .description('check that the audit trail is intact and that keys and accounts match it; needs AUDIT_SEAL_KEY')
    .option('--export-seal', 'print only the newest seal, to be stored elsewhere')
    .option('--expect <seal>', 'also check that this line of an earlier --export-seal is still valid');
  answering(verify, (options) => verifyTrail(databases, options));
  audit
    .command('export')
    .description('print the events as JSON lines, oldest first')
    .option('--since <time>', 'from this time: 2026-11-01 (UTC) or 2026-11-01T08:00:00Z', parseMoment('--since'))
    .option('--until <time>', 'before this time', parseMoment('--until'))
    .option('--json', 'changes nothing: the output is always JSON lines')
    .action((span) => readWhole(databases, (trail) => exportEvents(trail, span)));
}

/** Reads the whole audit trail, without a time limit. */
async function readWhole<T>(databases: Databases, work: (trail: AuditTrail) => Promise<T>): Promise<T> {
  const bar = new ProgressBar('events');
  try {
    return await onDatabase(databases, ({ trail }) => work(watched(trail, bar)), true);
  } finally {
    bar.clear();
  }
}

async function exportEvents(trail: AuditTrail, span: TimeSpan): Promise<void> {
  for await (const event of trail.events(span)) await printLine(eventLine(event));
}

async function verifyTrail(databases: Databases, options: { exportSeal?: true; expect?: string }): Promise<Answer> {
  const expected = options.expect === undefined ? undefined : parseSeal(options.expect);
  const keys = requiredSealKeys();
  const trail = await readWhole(databases, (whole) => new VerifyAuditTrail(whole, keys).execute(expected));
  if (!trail.intact) return { ...describeBroken(trail), exitCode: NOT_DONE };
  if (!options.exportSeal) return describeIntact(trail);
  if (!trail.newest) throw new NothingThere('there is no seal to export yet');
  return exportSeal(trail.newest);
}

export function parseMoment(option: string) {
  return (text: string): Date => {
    const [, day, minute, second = ':00', zone = 'Z'] = MOMENT.exec(text) ?? [];
    const moment = day && timeIn(`${day}T${minute ?? '00:00'}${second}${zone}`);
    if (moment) return moment;
    throw new UsageError(`${option} must be a time such as 2026-11-01 (UTC) or 2026-11-01T08:00:00Z`);
  };
}

/** Every column that the seal covers, and what kind of actor the details name. */
function eventLine(event: SealableEvent): string {
  const { id, at, type, ownerId, keyId, actorId, reason, count } = event;
  const { publicPart, clientIp, userAgent, requestId, details } = event;
  const actor = { actorId, actorKind: actorKindOf(event) };
  const first = { id: String(id), at: at.toISOString(), type, ownerId, keyId, ...actor, reason, count };
  return JSON.stringify({ ...first, publicPart, clientIp, userAgent, requestId, details });
}

/** The same audit trail, which shows the progress of reading by the ids read so far. */
function watched(trail: AuditTrail, bar: ProgressBar): AuditTrail {
  let count = 0;
  async function* watch(all: AsyncIterable<SealableEvent>, newest: bigint): AsyncIterable<SealableEvent> {
    let first: bigint | undefined;
    for await (const event of all) {
      first ??= event.id;
      count += 1;
      bar.show(count, Number(event.id - first + 1n) / Number(newest - first + 1n));
      yield event;
    }
  }
  async function* events(span: TimeSpan): AsyncIterable<SealableEvent> {
    yield* watch(trail.events(span), await trail.read((snapshot) => snapshot.newestEventId()));
  }
  const read: AuditTrail['read'] = (work) =>
    trail.read(async (snapshot) => {
      const newest = await snapshot.newestEventId();
      return work(replacing(snapshot, { events: (fromId) => watch(snapshot.events(fromId), newest) }));
    });
  return replacing(trail, { events, read });
}
