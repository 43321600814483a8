import { Redis } from 'ioredis';
import type { RedisClusterConfig } from '../../../../config/redis-config.js';
import { CONNECTION, type GcraPipeline, type GcraRedis } from '../gcra-script.js';
import {
  argumentsAhead,
  NOT_CHARGED,
  scriptArguments,
  storedAs,
  type Charge,
  type ChargeBatcher,
  type MakeBatcher,
} from '../shared-limits.js';
import { hostAndPort, redirectionOf, type Redirection, type SlotRange } from './slots.js';

/** The rest of the cluster, as a node sees it. */
export interface OtherNodes {
  /** The node that a redirection names. */
  follow(redirection: Redirection): ClusterNode;
  noticed(node: ClusterNode, error: Error): void;
  ready(): void;
}

type Charged = number[] | Error;

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
    makeBatcher: MakeBatcher,
    private readonly others: OtherNodes,
  ) {
    const { host, port } = hostAndPort(address);
    this.host = host;
    this.redis = new Redis({ ...CONNECTION, host, port, username, password, ...(tls && { tls: {} }) }) as GcraRedis;
    this.redis.on('error', (error: Error) => others.noticed(this, error));
    this.redis.on('ready', () => others.ready());
    this.redis.on('close', () => (this.isServing = false));
    this.batcher = makeBatcher((charges) => this.charge(charges));
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
  private async charge(charges: readonly Charge[]): Promise<readonly number[]> {
    const charged = await this.send(charges, 'MOVED');
    const moved = new Map<string, { redirection: Redirection; at: number[] }>();
    charged.forEach((answer, n) => {
      const redirection = answer instanceof Error && redirectionOf(answer, this.host);
      if (!redirection) return;
      const where = `${redirection.kind} ${redirection.address}`;
      const group = moved.get(where);
      if (group) group.at.push(n);
      else moved.set(where, { redirection, at: [n] });
    });
    const follow = async ({ redirection, at }: { redirection: Redirection; at: number[] }) => {
      const elsewhere = at.map((n) => charges[n]!);
      const there = await this.others.follow(redirection).send(elsewhere, redirection.kind);
      at.forEach((n, index) => (charged[n] = there[index]!));
    };
    await Promise.all([...moved.values()].map(follow));
    return charged.flatMap((answer) => (answer instanceof Error ? [NOT_CHARGED, 0] : answer));
  }

  /** @param kind ASK: the slot is still moving to this node, so each call must be preceded by ASKING */
  private async send(charges: readonly Charge[], kind: Redirection['kind']): Promise<Charged[]> {
    const pipeline = this.redis.pipeline() as GcraPipeline;
    for (const charge of charges) {
      if (kind === 'ASK') pipeline.call('ASKING');
      if (charge.ahead > 0) pipeline.gcraAhead(1, storedAs(charge.keyId), ...argumentsAhead(charge));
      else pipeline.gcra(1, storedAs(charge.keyId), ...scriptArguments(charge));
    }
    const results = (await pipeline.exec()) ?? [];
    const ofKeys = kind === 'ASK' ? results.filter((_, n) => n % 2 === 1) : results;
    const charged = ofKeys.map(([error, answer]) => error ?? (answer as number[]));
    if (charged.some((answer) => !(answer instanceof Error))) this.isServing = true;
    const down = charged.find((answer) => answer instanceof Error && answer.message.startsWith('CLUSTERDOWN'));
    if (down) {
      this.isServing = false;
      this.others.noticed(this, down as Error);
    }
    return charged;
  }
}
