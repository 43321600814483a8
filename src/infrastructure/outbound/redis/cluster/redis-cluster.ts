import type { RedisClusterConfig } from '../../../../config/redis-config.js';
import type { Outage } from '../../../telemetry/outage.js';
import { withTimeout } from '../../batching/timeout.js';
import { storedAs, type ChargeBatcher, type MakeBatcher, type SharedLimits } from '../shared-limits.js';
import { ClusterNode, type OtherNodes } from './cluster-node.js';
import { slotOf, SLOTS, type SlotRange } from './slots.js';

/** How often we read which node has which slots: normally, and while something is missing. */
const LOOK_EVERY_MS = 1000;
const LOOK_AGAIN_MS = 100;
/** How long one node may take to return its slots before we call another one. */
const LOOK_TIMEOUT_MS = 250;

/**
 * Several servers, each with a part of the slots. ioredis' own Cluster is not used: it writes each call separately, or
 * refuses a batch in which a slot moves, and it does not look for a new primary when one hangs.
 */
export class RedisCluster implements SharedLimits {
  /** By address: the configured nodes and all primaries. */
  private readonly nodes = new Map<string, ClusterNode>();
  private readonly configuredAddresses: readonly string[];
  private owners: (ClusterNode | undefined)[] = [];
  private primaries: readonly ClusterNode[] = [];
  private isCovered = false;
  private isClosed = false;
  private isLooking = false;
  private lookedAt = -Infinity;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly config: RedisClusterConfig,
    private readonly makeBatcher: MakeBatcher,
    private readonly outage: Outage,
  ) {
    this.configuredAddresses = config.nodes.map(({ host, port }) => `${host}:${port}`);
    for (const address of this.configuredAddresses) this.node(address);
    this.timer = setInterval(() => this.watch(), LOOK_AGAIN_MS);
  }

  batcherOf(keyId: string): ChargeBatcher | undefined {
    const owner = this.owners[slotOf(storedAs(keyId))];
    return owner?.isConnected ? owner.batcher : undefined;
  }

  get isUp(): boolean {
    return this.isCovered && this.primaries.every((node) => node.isReady);
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const node of this.nodes.values()) node.close();
  }

  private watch(): void {
    if (this.isUp) this.outage.over();
    if (!this.isUp || performance.now() - this.lookedAt >= LOOK_EVERY_MS) void this.look();
    for (const node of this.primaries) {
      // After a failure, the timer tries again.
      if (node.isConnected && !node.isReady) node.learnWhetherItServes().catch(() => undefined);
    }
  }

  private node(address: string): ClusterNode {
    const known = this.nodes.get(address);
    if (known) return known;
    const others: OtherNodes = {
      follow: (redirection) => {
        if (redirection.kind === 'MOVED') void this.look();
        return this.node(redirection.address);
      },
      noticed: (node, error) => {
        if (this.primaries.length === 0 || this.primaries.includes(node)) this.outage.noticed(error);
      },
      ready: () => void this.look(),
    };
    const node = new ClusterNode(address, this.config, this.makeBatcher, others);
    this.nodes.set(address, node);
    return node;
  }

  /** Calls one node after the other for its slots, until one answers. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    this.lookedAt = performance.now();
    // A random primary first, because any one may be cut off. Other nodes last: a replaced one may not know it yet.
    const first = Math.floor(Math.random() * this.primaries.length);
    const inTurn = [...this.primaries.slice(first), ...this.primaries.slice(0, first), ...this.nodes.values()];
    for (const node of new Set(inTurn)) {
      if (!node.isConnected) continue;
      try {
        this.take(await withTimeout(LOOK_TIMEOUT_MS, node.slots()), node.host);
        break;
      } catch {
        // Try the next node. After the last one, the timer tries all of them again.
      }
    }
    this.isLooking = false;
  }

  /** @param from the host that answered; a node that does not know its own name leaves it out */
  private take(ranges: readonly SlotRange[], from: string): void {
    if (this.isClosed) return;
    const owners = new Array<ClusterNode | undefined>(SLOTS).fill(undefined);
    for (const [first, last, [host, port]] of ranges) {
      owners.fill(this.node(`${host || from}:${port}`), first, last + 1);
    }
    this.owners = owners;
    this.isCovered = !owners.includes(undefined);
    this.primaries = [...new Set(owners)].filter((node) => node !== undefined);
    for (const [address, node] of this.nodes) {
      if (this.configuredAddresses.includes(address) || this.primaries.includes(node)) continue;
      this.nodes.delete(address);
      node.close();
    }
  }
}
