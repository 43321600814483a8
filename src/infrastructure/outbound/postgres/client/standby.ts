import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { unavailable } from './errors.js';
import { IS_SYNCHRONOUS, NOT_SYNCHRONOUS, SYNCHRONY, type Synchrony } from './server-state.js';

/** Runs on the connection of the commit. */
type ReadSynchrony = (text: string) => Promise<Synchrony[]>;

/**
 * Throws `unavailable` when a commit does not wait for a standby. Checks it before and after the commit: if synchronous
 * commits are switched off in between, the wait ends, and what was committed may be lost.
 * @param commit receives the check, which it has to call right before it commits
 */
export async function committedSynchronously<T>(
  read: ReadSynchrony,
  commit: (checkBefore: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let before: number | undefined;
  const answer = await commit(async () => void (before = await timelineIfSynchronous(read)));
  const after = await timelineIfSynchronous(read);
  // In a pool, the second check may reach a server that has replaced the first.
  if (before !== after) throw unavailable(new Error('PostgreSQL was replaced while it committed'));
  return answer;
}

async function timelineIfSynchronous(read: ReadSynchrony): Promise<number> {
  const [row] = await read(SYNCHRONY);
  if (!row!.is_synchronous) throw unavailable(new Error(`REQUIRE_SYNCHRONOUS is on, and ${NOT_SYNCHRONOUS}`));
  return row!.timeline;
}

/**
 * Sessions that have waited for the standby longer than their clients do. They do not notice that their clients have
 * disconnected, and would pile up until PostgreSQL accepts no connection any more, not even an administrator's.
 */
const ABANDONED = `
  FROM pg_stat_activity
  WHERE usename = current_user AND application_name = $1 AND wait_event = 'SyncRep'
    AND state_change < clock_timestamp() - make_interval(secs => $2::float8 / 1000)`;

/**
 * Ends those sessions. What they committed becomes visible, though possibly no standby has it. So do not use this for
 * changes that others rely on.
 * @param timeoutMs how long a client waits
 */
export async function endAbandonedWaits(client: pg.ClientBase, name: string, timeoutMs: number): Promise<void> {
  await client.query(`SELECT pg_terminate_backend(pid) ${ABANDONED}`, [name, 2 * timeoutMs]);
}

/** Throws `unavailable` when so many of those sessions are left that no connection may be added. */
export async function refuseAmongAbandonedWaits(
  client: pg.ClientBase,
  { name, timeoutMs, most }: { readonly name: string; readonly timeoutMs: number; readonly most: number },
): Promise<void> {
  const count = `SELECT count(*)::integer AS left ${ABANDONED}`;
  const { left } = (await client.query<{ left: number }>(count, [name, timeoutMs])).rows[0]!;
  if (left < most) return;
  throw unavailable(new Error(`${left} changes that were given up still wait for PostgreSQL's standby`));
}

/** Reports in log, readiness and metrics whether changes are answered that only one server has. */
export class SynchronousCommits {
  /** Undefined until the first look. */
  private isSynchronous: boolean | undefined;

  constructor(
    private readonly database: { run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> },
    private readonly log: Log,
    /** With demo values there is one PostgreSQL, and nothing to lose. */
    private readonly isDemo = false,
  ) {}

  /** What readiness adds to its "ok". */
  get warning(): string | undefined {
    if (this.isSynchronous !== false) return undefined;
    return `${NOT_SYNCHRONOUS}: a failover may undo what was answered last, revocations too`;
  }

  async look(): Promise<void> {
    const [row] = await this.database.run((manager) =>
      manager.query<{ is_synchronous: boolean }[]>(`SELECT ${IS_SYNCHRONOUS} AS is_synchronous`),
    );
    const before = this.isSynchronous;
    this.isSynchronous = row!.is_synchronous;
    // A single PostgreSQL may be intended, so this is a warning only if there was a standby before.
    if (this.warning && before === undefined && !this.isDemo) this.log.info(this.warning);
    if (this.warning && before === true) this.log.warn(this.warning);
    if (this.isSynchronous && before === false) this.log.info('PostgreSQL commits with a synchronous standby again');
  }

  instruments(): Instrument[] {
    const help = 'Whether PostgreSQL commits with a synchronous standby (1) or alone (0), at the last look';
    return [gauge('latchkey_postgres_synchronous_commits', help, () => Number(this.isSynchronous ?? true), 'min')];
  }
}
