import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import type { PatroniNode } from './patroni-node.js';

const EVERY_MS = 10;
const TIMEOUT_MS = 250;

type State = 'primary' | 'standby' | 'away';

export interface Promotion {
  readonly node: PatroniNode;
  /** By `performance.now()`. */
  readonly at: number;
  /** When its synchronous standby was connected. Nothing is committed before that. */
  standbyAt?: number;
}

const STATE = `SELECT pg_is_in_recovery() AS standby, EXISTS (
  SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS is_followed`;

/** Notices when a node begins to accept writes, by checking each of them all the time. */
export class Promotions {
  readonly seen: Promotion[] = [];
  private isOver = false;
  private readonly watching: readonly Promise<void>[];

  constructor(nodes: readonly PatroniNode[]) {
    this.watching = nodes.map((node) => this.watch(node));
  }

  /** The first promotion after this moment. */
  after(moment: number): Promotion | undefined {
    return this.seen.find(({ at }) => at > moment);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.watching);
  }

  private async watch(node: PatroniNode): Promise<void> {
    let client: pg.Client | undefined;
    let known: State | undefined;
    while (!this.isOver) {
      try {
        client ??= await connect(node);
        const { rows } = await client.query<{ standby: boolean; is_followed: boolean }>(STATE);
        const state = rows[0]!.standby ? 'standby' : 'primary';
        if (state === 'primary' && known !== undefined && known !== 'primary')
          this.seen.push({ node, at: performance.now() });
        const latest = this.seen.at(-1);
        if (rows[0]!.is_followed && latest?.node === node) latest.standbyAt ??= performance.now();
        known = state;
      } catch {
        known = 'away';
        client?.end().catch(() => undefined);
        client = undefined;
      }
      await pause(EVERY_MS);
    }
    await client?.end().catch(() => undefined);
  }
}

async function connect(node: PatroniNode): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: node.url(),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
