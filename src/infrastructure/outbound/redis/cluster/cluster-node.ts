import { Redis } from 'ioredis';
import type { RedisClusterConfig } from '../../../../config/redis-config.js';
import { CONNECTION, type GcraPipeline, type GcraRedis } from '../gcra-script.js';
import { NOT_CHARGED, type ChargeBatcher, type Charging } from '../shared-limits.js';
import { hostAndPort, redirectionOf, type Redirection, type SlotRange } from './slots.js';

/** The rest of the cluster, as a node sees it. */
export interface OtherNodes {
  /** The node that a redirection names. */
  follow(redirection: Redirection): ClusterNode;
  noticed(node: ClusterNode, error: Error): void;
  ready(): void;
}

type Charge = number[] | Error;

/** One node of a cluster. Charges that are sent together go in one write, with one call for each key. */
export class ClusterNode {
  readonly host: string;
  readonly batcher: ChargeBatcher;
  private readonly redis: GcraRedis;
  /** Whether it accepts charges. After a start it refuses them for some seconds, although it answers. */
  private isServing = false;

  constructor(
    address: string,
    { username, password, tls }: RedisClusterConfig,
    private readonly charging: Charging,
    private readonly others: OtherNodes,
  ) {
    const { host, port } = hostAndPort(address);
    this.host = host;
    this.redis = new Redis({ ...CONNECTION, host, port, username, password, ...(tls && { tls: {} }) }) as GcraRedis;
    this.redis.on('error', (error: Error) => others.noticed(this, error));
    this.redis.on('ready', () => others.ready());
    this.redis.on('close', () => (this.isServing = false));
    this.batcher = charging.batcher((keys) => this.charge(keys));
  }

  get isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  get isReady(): boolean {
    return this.isConnected && this.isServing;
  }

  /** Needed only while the state is unknown, because the result of a charge shows it too. */
  async learnWhetherItServes(): Promise<void> {
    const state: unknown = await this.redis.cluster('INFO');
    this.isServing = String(state).includes('cluster_state:ok');
  }

  async slots(): Promise<SlotRange[]> {
    const ranges: unknown = await this.redis.cluster('SLOTS');
    return ranges as SlotRange[];
  }

  close(): void {
    this.redis.disconnect();
  }

  /** Charges keys on this node, and keys that have moved on the node where they are now. */
  private async charge(keys: readonly string[]): Promise<readonly number[]> {
    const charges = await this.send(keys, 'MOVED');
    const moved = new Map<string, { redirection: Redirection; at: number[] }>();
    charges.forEach((charge, n) => {
      const redirection = charge instanceof Error && redirectionOf(charge, this.host);
      if (!redirection) return;
      const where = `${redirection.kind} ${redirection.address}`;
      const group = moved.get(where);
      if (group) group.at.push(n);
      else moved.set(where, { redirection, at: [n] });
    });
    const follow = async ({ redirection, at }: { redirection: Redirection; at: number[] }) => {
      const movedKeys = at.map((n) => keys[n]!);
      const there = await this.others.follow(redirection).send(movedKeys, redirection.kind);
      at.forEach((n, index) => (charges[n] = there[index]!));
    };
    await Promise.all([...moved.values()].map(follow));
    return charges.flatMap((charge) => (charge instanceof Error ? [NOT_CHARGED, 0] : charge));
  }

  /** @param kind ASK: the slot is still moving to this node, so each call must be preceded by ASKING */
  private async send(keys: readonly string[], kind: Redirection['kind']): Promise<Charge[]> {
    const { intervalMicros, toleranceMicros } = this.charging;
    const pipeline = this.redis.pipeline() as GcraPipeline;
    for (const key of keys) {
      if (kind === 'ASK') pipeline.call('ASKING');
      pipeline.gcra(1, key, intervalMicros, toleranceMicros);
    }
    const results = (await pipeline.exec()) ?? [];
    const ofKeys = kind === 'ASK' ? results.filter((_, n) => n % 2 === 1) : results;
    const charges = ofKeys.map(([error, answer]) => error ?? (answer as number[]));
    if (charges.some((charge) => !(charge instanceof Error))) this.isServing = true;
    const down = charges.find((charge) => charge instanceof Error && charge.message.startsWith('CLUSTERDOWN'));
    if (down) {
      this.isServing = false;
      this.others.noticed(this, down as Error);
    }
    return charges;
  }
}
