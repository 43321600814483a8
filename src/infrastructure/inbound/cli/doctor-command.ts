import type { Command } from '@commander-js/extra-typings';
import type { ExaminedDatabase, ExaminedRedis, ExaminedTables } from '#application/examination.js';
import { version } from '#config/config.js';
import { type DatabaseConfig, readDatabase } from '#config/database-config.js';
import type { Databases } from './administration.js';
import { answering, DONE, linesOf, NOT_DONE, table } from './answering.js';
import { readSettings } from './environment.js';

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

function ofDatabase(found: PromiseSettledResult<ExaminedDatabase>, config: DatabaseConfig): Finding[] {
  if (found.status === 'rejected') {
    const action = 'make the primary in DATABASE_URL reachable for this machine';
    return [{ what: 'database', found: linesOf(found.reason).join(' '), action }];
  }
  const { role, database: name, version: server, clockAheadMs, missingMigrations: missing, tooOld } = found.value;
  const { tables, isSynchronous } = found.value;
  return [
    { what: 'database', found: `${name}, as the role ${role}, PostgreSQL ${server}` },
    {
      what: 'migrations',
      found: missing.length === 0 ? 'all applied' : `${missing.length} missing, the first is ${missing[0]}`,
      action: missing.length === 0 ? undefined : (tooOld ?? 'run `latchkey migrate` as the role that owns the tables'),
    },
    clock("PostgreSQL's clock", clockAheadMs),
    ...(config.readBarrier || config.requireSynchronous ? [standby(isSynchronous)] : []),
    ...(tables ? ofTables(tables) : []),
  ];
}

function standby(isSynchronous: boolean): Finding {
  const action = 'set synchronous_standby_names: until then READ_BARRIER and REQUIRE_SYNCHRONOUS refuse all they wait for';
  const found = isSynchronous ? 'commits wait for it' : 'commits wait for none';
  return { what: 'standby', found, action: isSynchronous ? undefined : action };
}

function ofTables(tables: ExaminedTables): Finding[] {
  const { instances, unsealedEvents, oldestUnsealedSeconds: age, waitingNotices, failedNotices } = tables;
  const notAccepted = 'a receiver does not accept them: `latchkey events list` says why';
  const isSealing = readSettings((settings) => settings.get('AUDIT_SEAL_KEY')).length > 0;
  const late = (seconds: number | null, what: string, action: string): Finding => {
    const isLate = (seconds ?? 0) > LATE;
    return { what, found: isLate ? `late for ${minutes(seconds!)}` : 'in time', action: isLate ? action : undefined };
  };
  const look = 'look at the log of an instance for `a job failed`, and start one if none runs';
  return [
    ofInstances(instances),
    {
      what: 'seals',
      found: isSealing
        ? `${unsealedEvents} events wait${age === null ? '' : `, the oldest for ${minutes(age)}`}`
        : `AUDIT_SEAL_KEY is not set here; ${unsealedEvents} events are not sealed`,
      action: isSealing && (age ?? 0) > LATE ? `seals are late: ${look}` : undefined,
    },
    {
      what: 'notices',
      found: `${waitingNotices} wait, ${failedNotices} were given up`,
      action:
        failedNotices > 0
          ? 'see `latchkey events list --status failed`, and repeat them with `latchkey events retry`'
          : tables.refusedNotices > 0
            ? notAccepted
            : undefined,
    },
    late(tables.overdueNoticeSeconds, 'sending notices', look),
    late(tables.overdueEndSeconds, 'recording ends of keys', look),
    {
      what: 'leak reports',
      found: `${tables.waitingLeakReports} wait`,
      action:
        tables.waitingLeakReports > 0 && instances.length === 0
          ? 'start an instance, which ends reported keys'
          : undefined,
    },
  ];
}

function ofInstances(instances: ExaminedTables['instances']): Finding {
  const what = 'instances';
  if (instances.length === 0)
    return { what, found: 'none within 15 minutes', action: 'start one: changes wait 2.2 s where none is known' };
  const found = instances.map((each) => `${each.count} × ${each.version} with LEASE_MS=${each.leaseMs}`).join(', ');
  const isMixed = (key: 'version' | 'leaseMs') => new Set(instances.map((each) => each[key])).size > 1;
  const others = instances.some((each) => each.version !== version());
  const actions = [
    ...(isMixed('version') ? ['finish the rollout: two versions serve'] : []),
    ...(isMixed('leaseMs') ? ['give all instances the same LEASE_MS: changes wait for the longest'] : []),
    ...(others && !isMixed('version') ? [`this command line is ${version()}: use the one of the instances`] : []),
  ];
  return {
    what,
    found,
    action: actions.length > 0 ? `${actions.join('; ')} (a stopped process is shown for 15 minutes)` : undefined,
  };
}

function ofRedis(found: PromiseSettledResult<ExaminedRedis | undefined>): Finding[] {
  if (found.status === 'rejected') {
    const action = 'make REDIS_URL reachable: until then each process limits keys for itself';
    return [{ what: 'Redis', found: linesOf(found.reason).join(' '), action }];
  }
  if (!found.value) return [{ what: 'Redis', found: 'REDIS_URL is not set here: each process limits keys for itself' }];
  const { version: server, clockAheadMs } = found.value;
  return [{ what: 'Redis', found: `version ${server}` }, clock("Redis' clock", clockAheadMs)];
}

function clock(what: string, aheadMs: number): Finding {
  const isOff = Math.abs(aheadMs) > MAX_CLOCK_MS;
  const found = `${Math.abs(aheadMs / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  return { what, found, action: isOff ? 'synchronise the clocks of both machines (NTP)' : undefined };
}

function minutes(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
