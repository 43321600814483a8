import type { Command } from '@commander-js/extra-typings';
import type { TimeSpan, AuditTrail } from '#application/audit-ports.js';
import type { Comparison } from '#application/audit/compare-with-audit-trail.js';
import {
  type BrokenTrail,
  type ExportedSeal,
  type IntactTrail,
  VerifyAuditTrail,
} from '#application/audit/verify-audit-trail.js';
import { replacing } from '#application/with-transactions.js';
import type { AuditSeal, SealableEvent } from '#domain/audit/audit-seal.js';
import { actorKindOf } from '#domain/audit/event-details.js';
import { timeIn } from '#domain/time.js';
import { type Databases, onDatabase, requiredSetting } from '../administration.js';
import { type Answer, answering, NOT_DONE, NotDone, printLine, UsageError } from '../answering.js';
import { progressBar } from '../terminal.js';

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
  const bar = progressBar('events');
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
  const keys = requiredSetting('AUDIT_SEAL_KEY');
  const trail = await readWhole(databases, (whole) => new VerifyAuditTrail(whole, keys).execute(expected));
  if (!trail.intact) return { ...describeBroken(trail), exitCode: NOT_DONE };
  if (!options.exportSeal) return describeIntact(trail);
  if (!trail.newest) throw new NotDone('there is no seal to export yet');
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
function watched(trail: AuditTrail, bar: ReturnType<typeof progressBar>): AuditTrail {
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

/** Someone with the database's password can store any text: control characters must not reach the terminal. */
const CONTROLS = /[\p{Cc}\p{Cf}]/gu;

function describeIntact(trail: IntactTrail): Answer {
  const { newest, sealedEvents, prunedToSealId, unsealedEvents, oldestUnsealedAt, comparison } = trail;
  const { keys, accounts } = comparison;
  const since = oldestUnsealedAt ? `, the oldest from ${oldestUnsealedAt.toISOString()}` : '';
  const pruned = `seals whose events were deleted by retention: ${prunedToSealId}`;
  const partly = `compared only in part, because they are older than their events: keys ${keys.takenAsFound}, accounts ${accounts.takenAsFound}`;
  const text = [
    'OK: the audit trail is intact, and all keys and accounts match it',
    `seals: ${newest?.id ?? 0}, sealed events: ${sealedEvents}`,
    ...(prunedToSealId > 0n ? [pruned] : []),
    `events not sealed yet: ${unsealedEvents}${since}`,
    `keys: ${keys.count}, accounts: ${accounts.count}`,
    ...(keys.takenAsFound + accounts.takenAsFound > 0 ? [partly] : []),
  ].join('\n    ');
  const ofSeals = { seals: String(newest?.id ?? 0), sealedEvents, prunedSeals: String(prunedToSealId) };
  const unsealed = { unsealedEvents, oldestUnsealedAt: oldestUnsealedAt?.toISOString() ?? null };
  return { document: { intact: true, ...ofSeals, ...unsealed, keys, accounts }, text };
}

function describeBroken({ problem, seal, comparison }: BrokenTrail): Answer {
  if (comparison) return describeDifferences(problem, comparison);
  const { id, fromEventId, toEventId } = seal ?? {};
  const where = seal ? `seal ${id}, events ${fromEventId} to ${toEventId}: ` : '';
  const place = seal ? { seal: String(id), fromEventId: String(fromEventId), toEventId: String(toEventId) } : {};
  return { document: { intact: false, problem, ...place }, text: `BROKEN: ${where}${problem}` };
}

function describeDifferences(problem: string, { differences, moreDifferences }: Comparison): Answer {
  const lines = differences.map((each) => `    ${each.subject} ${each.id} ${each.problem}`.replace(CONTROLS, '�'));
  const more = moreDifferences > 0 ? [`    and ${moreDifferences} more`] : [];
  const document = { intact: false, problem, differences, moreDifferences };
  return { document, text: [`BROKEN: ${problem}`, ...lines, ...more].join('\n') };
}

/** One line of JSON for people too, because they store it. */
function exportSeal({ id, toEventId, sealedAt, mac }: AuditSeal): Answer {
  const document = {
    seal: String(id),
    toEventId: String(toEventId),
    sealedAt: sealedAt.toISOString(),
    mac: mac.toString('hex'),
  };
  return { document, text: JSON.stringify(document) };
}

function parseSeal(text: string): ExportedSeal {
  try {
    const { seal, mac } = JSON.parse(text) as { seal?: unknown; mac?: unknown };
    if (typeof seal === 'string' && /^[1-9]\d{0,17}$/.test(seal) && typeof mac === 'string') {
      return { id: BigInt(seal), mac: Buffer.from(mac, 'hex') };
    }
  } catch {
    // Refused below, like any other text that is not a seal.
  }
  throw new UsageError('--expect must be followed by the line that --export-seal printed');
}
