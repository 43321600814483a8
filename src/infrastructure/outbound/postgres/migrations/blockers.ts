import { setTimeout as pause } from 'node:timers/promises';
import type { SessionSource } from '../client/data-source.js';

/** A role that is no superuser sees the pid, the role and the application of every session, and no more. */
const BLOCKERS = `
  SELECT string_agg(format('%s (pid %s, role %s)',
    coalesce(nullif(application_name, ''), backend_type, 'a session'), pid, coalesce(usename, '-')), ', ' ORDER BY pid)
    AS names
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1))`;

/**
 * Checks regularly, over another connection, which sessions the session `pid` waits for.
 * @param onNew called with these sessions when they have changed since the last check
 * @returns `stop` ends the checks and returns the sessions that were found last
 */
export function watchBlockers(
  source: Pick<SessionSource, 'query'>,
  pid: number,
  everyMs: number,
  onNew: (blockers: string) => void = () => {},
): { stop(): Promise<string | undefined> } {
  const stopping = new AbortController();
  let last: string | undefined;
  const look = async () => {
    while (await pause(everyMs, true, { signal: stopping.signal }).catch(() => false)) {
      // A look is not worth failing for, such as when PostgreSQL accepts no further connection.
      const [row] = await source.query<{ names: string | null }[]>(BLOCKERS, [pid]).catch(() => []);
      if (!row?.names || row.names === last) continue;
      last = row.names;
      onNew(last);
    }
    return last;
  };
  const looking = look();
  return {
    stop: () => {
      stopping.abort();
      return looking;
    },
  };
}
