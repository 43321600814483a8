import type { Command } from '@commander-js/extra-typings';
import type { ExaminedDatabase, ExaminedRedis, ExaminedTables } from '#application/examination.js';
import { version } from '#config/config.js';
import { type DatabaseConfig, readDatabase } from '#config/database-config.js';
import { type Databases, readSettings } from './administration.js';
import { answering, DONE, linesOf, NOT_DONE, table } from './answering.js';

interface Finding {
  readonly what: string;
  readonly found: string;
  /** Present where something needs action. */
  readonly action?: string | undefined;
}

const MAX_CLOCK_MS = 1000;
/** In seconds. Jobs run each minute at least. */
const LATE = 600;

export function addDoctorCommand(program: Command, databases: Databases): void {
  const doctor = program
    .command('doctor')
    .description(
      'look at the database, Redis, the processes that serve, and what is late; exit code 1 if something needs action',
    );
  answering(doctor, async () => {
    const redis = readSettings((settings) => settings.get('REDIS_URL'));
    const database = readSettings(readDatabase);
    const [found, foundRedis] = await Promise.allSettled([
      databases.examineDatabase(database),
      redis && databases.examineRedis(redis),
    ]);
    const findings = [...ofDatabase(found, database), ...ofRedis(foundRedis)];
    const rows = findings.map(({ what, found: text, action }) => [action ? 'ACTION' : 'ok', what, text]);
    const actions = findings.flatMap(({ what, action }) => (action ? [`${what}: ${action}`] : []));
    return {
      document: { findings },
      text: [table(['', 'what', 'found'], rows), ...(actions.length > 0 ? ['', ...actions] : [])].join('\n'),
      exitCode: actions.length > 0 ? NOT_DONE : DONE,
    };
  });
}

/** @param actions the first one that applies is needed; false and undefined do not apply */
function finding(what: string, found: string, ...actions: readonly (string | false | undefined)[]): Finding {
  return { what, found, action: actions.find(Boolean) || undefined };
}

function ofDatabase(found: PromiseSettledResult<ExaminedDatabase>, config: DatabaseConfig): Finding[] {
  if (found.status === 'rejected') {
    const action = 'make the primary in DATABASE_URL reachable for this machine';
    return [finding('database', linesOf(found.reason).join(' '), action)];
  }
  const { role, database: name, version: server, clockAheadMs, missingMigrations: missing, tooOld } = found.value;
  const { tables, isSynchronous, isReadOnly, lacking } = found.value;
  const granting = `the role lacks ${lacking.join(', ')}: run deploy/postgres/grants.sql`;
  const writing = 'it accepts no writes: free its disk, and switch default_transaction_read_only off';
  const migrating = tooOld ?? 'run `latchkey migrate` as the role that owns the tables';
  const isMissing = missing.length > 0;
  return [
    finding(
      'database',
      `${name}, as the role ${role}, PostgreSQL ${server}`,
      isReadOnly && writing,
      lacking.length > 0 && granting,
    ),
    isMissing
      ? finding('migrations', `${missing.length} missing, the first is ${missing[0]}`, migrating)
      : finding('migrations', 'all applied'),
    clock("PostgreSQL's clock", clockAheadMs),
    ...(config.readBarrier || config.requireSynchronous ? [standby(isSynchronous)] : []),
    ...(tables ? ofTables(tables) : []),
  ];
}

function standby(isSynchronous: boolean): Finding {
  const action =
    'set synchronous_standby_names: until then READ_BARRIER and REQUIRE_SYNCHRONOUS refuse all they wait for';
  return isSynchronous
    ? finding('standby', 'commits wait for it')
    : finding('standby', 'commits wait for none', action);
}

const LOOK = 'look at the log of an instance for `a job failed`, and start one if none runs';

function ofTables(tables: ExaminedTables): Finding[] {
  const { instances, unsealedEvents, oldestUnsealedSeconds: age, waitingNotices, failedNotices } = tables;
  const { refusedNotices, waitingLeakReports } = tables;
  const isSealing = readSettings((settings) => settings.get('AUDIT_SEAL_KEY')).length > 0;
  return [
    ofInstances(instances),
    isSealing
      ? finding(
          'seals',
          `${unsealedEvents} events wait${age === null ? '' : `, the oldest for ${minutes(age)}`}`,
          isLate(age) && `seals are late: ${LOOK}`,
        )
      : finding('seals', `AUDIT_SEAL_KEY is not set here; ${unsealedEvents} events are not sealed`),
    finding(
      'notices',
      `${waitingNotices} wait, ${failedNotices} were given up`,
      failedNotices > 0 && 'see `latchkey events list --status failed`, and repeat them with `latchkey events retry`',
      refusedNotices > 0 && 'a receiver does not accept them: `latchkey events list` says why',
    ),
    punctual('sending notices', tables.overdueNoticeSeconds),
    punctual('recording ends of keys', tables.overdueEndSeconds),
    finding(
      'leak reports',
      `${waitingLeakReports} wait`,
      waitingLeakReports > 0 && instances.length === 0 && 'start an instance, which ends reported keys',
    ),
  ];
}

function isLate(seconds: number | null): seconds is number {
  return seconds !== null && seconds > LATE;
}

function punctual(what: string, overdueSeconds: number | null): Finding {
  if (!isLate(overdueSeconds)) return finding(what, 'in time');
  return finding(what, `late for ${minutes(overdueSeconds)}`, LOOK);
}

function ofInstances(instances: ExaminedTables['instances']): Finding {
  const what = 'instances';
  if (instances.length === 0)
    return finding(what, 'none within 15 minutes', 'start one: changes wait 2.2 s where none is known');
  const found = instances.map((each) => `${each.count} × ${each.version} with LEASE_MS=${each.leaseMs}`).join(', ');
  const isMixed = (key: 'version' | 'leaseMs') => new Set(instances.map((each) => each[key])).size > 1;
  const others = instances.some((each) => each.version !== version());
  const actions = [
    isMixed('version') && 'finish the rollout: two versions serve',
    isMixed('leaseMs') && 'give all instances the same LEASE_MS: changes wait for the longest',
    others && !isMixed('version') && `this command line is ${version()}: use the one of the instances`,
  ].filter(Boolean);
  const action = `${actions.join('; ')} (a stopped process is shown for 15 minutes)`;
  return finding(what, found, actions.length > 0 && action);
}

function ofRedis(found: PromiseSettledResult<ExaminedRedis | undefined>): Finding[] {
  if (found.status === 'rejected') {
    const action = 'make REDIS_URL reachable: until then each process limits keys for itself';
    return [finding('Redis', linesOf(found.reason).join(' '), action)];
  }
  if (!found.value) return [finding('Redis', 'REDIS_URL is not set here: each process limits keys for itself')];
  const { version: server, clockAheadMs } = found.value;
  return [finding('Redis', `version ${server}`), clock("Redis' clock", clockAheadMs)];
}

function clock(what: string, aheadMs: number): Finding {
  const isOff = Math.abs(aheadMs) > MAX_CLOCK_MS;
  const found = `${Math.abs(aheadMs / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  return finding(what, found, isOff && 'synchronise the clocks of both machines (NTP)');
}

function minutes(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
