import type { DatabaseConfig } from '#config/database-config.js';
import { gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { withTimeout } from '../../batching/timeout.js';
import { HostWatch, type Sighting } from './host-watch.js';
import { PostgresOutage, unavailable } from './errors.js';
import type { ServerState } from './server-state.js';

/** How long startup waits until one of several hosts is the primary. */
const START_TIMEOUT_MS = 10_000;

/** What this class needs to know of a connection. */
export interface WatchedConnection {
  /** The WAL timeline of its server; undefined until it is known. */
  readonly timeline: number | undefined;
  drop(): void;
}

/**
 * Knows which server is the primary. A promotion starts a new WAL timeline. So if two servers accept writes, the one on
 * the higher timeline is the primary, and the other one was replaced without noticing it. No connection to a replaced
 * server is kept or made. With several hosts, each is watched, and all connections move with the primary.
 */
export class Primary {
  /** False if storage is replicated below PostgreSQL. Then all servers are on one timeline. */
  knowsTimelines = true;
  /** Where a new connection goes: to the primary, or to the last known one. */
  url: string;
  private readonly connections = new Set<WatchedConnection>();
  private readonly urls: readonly string[];
  private readonly watches: readonly HostWatch[];
  private readonly sightings = new Map<string, Sighting>();
  private highestTimeline = 0;
  private opening: Promise<void> | undefined;
  /** Of all connections to it. */
  readonly outage: PostgresOutage;
  /** Called once one of the hosts is known to be the primary. */
  private onFound = () => {};

  constructor(
    readonly config: DatabaseConfig,
    private readonly log = new Log('silent'),
    private readonly startTimeoutMs = START_TIMEOUT_MS,
  ) {
    this.outage = new PostgresOutage(log);
    this.urls = [...new Set(config.urls)];
    this.url = this.urls[0]!;
    const watched = this.urls.length > 1 ? this.urls : [];
    this.watches = watched.map((url) => new HostWatch(url, (sighting) => this.saw(url, sighting)));
  }

  /** With several hosts, finds the primary. Throws when none of them is, with the reason of each. */
  open(): Promise<void> {
    return (this.opening ??= this.watches.length > 0 ? this.find() : Promise.resolve());
  }

  async close(): Promise<void> {
    for (const watch of this.watches) watch.stop();
  }

  instruments(): Instrument[] {
    const help = 'Highest WAL timeline of a primary that was seen; it rises with each failover';
    return [gauge('latchkey_postgres_timeline', help, () => this.highestTimeline, 'max')];
  }

  /** Drops the connection once it no longer leads to the primary. Returns how to unregister it. */
  hold(connection: WatchedConnection): () => void {
    this.connections.add(connection);
    return () => void this.connections.delete(connection);
  }

  /** Throws `unavailable` when the server that reported this state is not the primary. */
  require({ standby, timeline }: ServerState): void {
    // A server in recovery is on no timeline of its own. It may lack a revocation that was already answered.
    if (standby || timeline === null) {
      throw unavailable(new Error('PostgreSQL is in recovery; Latchkey needs the primary'));
    }
    if (timeline !== undefined) this.admit(timeline);
  }

  /** Throws when another server has replaced the one on this timeline. */
  admit(timeline: number): void {
    if (timeline >= this.highestTimeline) return this.raise(timeline);
    const why = `is on WAL timeline ${timeline}, and one on ${this.highestTimeline} was seen: it was replaced`;
    throw unavailable(new Error(`PostgreSQL ${why} (after a new installation, restart Latchkey)`));
  }

  private async find(): Promise<void> {
    const found = new Promise<void>((resolve) => (this.onFound = resolve));
    for (const watch of this.watches) watch.start();
    try {
      await withTimeout(this.startTimeoutMs, found);
    } catch {
      await this.close();
      throw unavailable(new Error(this.whyNone()));
    }
  }

  private whyNone(): string {
    const reasons = this.urls.map((url) => {
      const sighting = this.sightings.get(url);
      return `${hostOf(url)}: ${sighting && 'why' in sighting ? sighting.why : 'no answer yet'}`;
    });
    return `none of its hosts is a primary (${reasons.join('; ')})`;
  }

  private saw(url: string, sighting: Sighting): void {
    this.sightings.set(url, sighting);
    if ('timeline' in sighting) this.raise(sighting.timeline);
    const timelineOf = (each: string) => {
      const seen = this.sightings.get(each);
      return seen && 'timeline' in seen && seen.timeline >= this.highestTimeline ? seen.timeline : -1;
    };
    const others = this.urls.filter((each) => each !== this.url);
    const best = others.reduce((one, other) => (timelineOf(other) > timelineOf(one) ? other : one), this.url);
    if (best !== this.url) this.moveTo(best);
    // Waits until every host has reported, because the first one that answers may have been replaced.
    if (timelineOf(this.url) >= 0 && this.sightings.size === this.urls.length) this.onFound();
  }

  private moveTo(url: string): void {
    const from = hostOf(this.url);
    this.url = url;
    this.log.info('PostgreSQL: another host is the primary', { from, to: hostOf(url), timeline: this.highestTimeline });
    // Connections that are still opening take up places in the pool, and the previous host may not answer.
    this.drop(({ timeline: its }) => its === undefined);
  }

  private raise(timeline: number): void {
    if (timeline <= this.highestTimeline) return;
    this.highestTimeline = timeline;
    this.drop(({ timeline: its }) => its !== undefined && its < timeline);
  }

  private drop(isElsewhere: (connection: WatchedConnection) => boolean): void {
    for (const each of [...this.connections].filter(isElsewhere)) each.drop();
  }
}

function hostOf(url: string): string {
  return new URL(url).host;
}
