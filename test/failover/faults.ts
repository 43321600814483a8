import { eventually } from '../support/eventually.js';
import type { PatroniCluster } from './ground/patroni-cluster.js';
import type { Promotions } from './ground/promotions.js';

export interface Fault {
  readonly name: string;
  /** Whether another primary takes over, or the same one comes back. */
  readonly promotes: boolean;
  /** Resolves when the fault is over. What it broke may still be recovering. */
  happen(cluster: PatroniCluster, promotions: Promotions): Promise<void>;
}

/** How long etcd is unavailable: without failsafe_mode, the leader gives up within this time. */
const ETCD_AWAY_MS = 10_000;

export const FAULTS: readonly Fault[] = [
  {
    name: 'PostgreSQL of the leader is killed',
    promotes: true,
    happen: async (cluster, promotions) => {
      const { machine } = await cluster.leader();
      const since = performance.now();
      await machine.kill('postgres');
      await promoted(promotions, since);
    },
  },
  {
    name: 'the leader is killed whole',
    promotes: true,
    happen: async (cluster, promotions) => {
      const leader = await cluster.leader();
      const since = performance.now();
      await leader.machine.kill();
      await promoted(promotions, since);
      leader.start();
    },
  },
  {
    name: 'the leader is frozen and thawed',
    promotes: true,
    happen: async (cluster, promotions) => {
      const leader = await cluster.leader();
      const since = performance.now();
      leader.machine.freeze();
      await promoted(promotions, since);
      await leader.thaw();
    },
  },
  {
    name: 'the leader’s network is cut',
    promotes: true,
    happen: async (cluster, promotions) => {
      const { machine } = await cluster.leader();
      const since = performance.now();
      machine.pullCable();
      await promoted(promotions, since);
      machine.plugIn();
    },
  },
  {
    name: 'an operator switches over',
    promotes: true,
    happen: async (cluster, promotions) => {
      const since = performance.now();
      await cluster.switchover();
      await promoted(promotions, since);
    },
  },
  {
    name: 'etcd is away, with failsafe_mode',
    promotes: false,
    happen: async (cluster) => {
      await cluster.stopEtcd();
      await new Promise((resolve) => setTimeout(resolve, ETCD_AWAY_MS));
      cluster.startEtcd();
    },
  },
  {
    name: 'etcd is away, without failsafe_mode',
    promotes: true,
    happen: async (cluster, promotions) => {
      await cluster.configure({ failsafe_mode: false });
      const leader = await cluster.leader();
      await cluster.stopEtcd();
      await eventually(async () => !(await leader.acceptsWrites()));
      const since = performance.now();
      cluster.startEtcd();
      await promoted(promotions, since);
      await cluster.configure({ failsafe_mode: true });
    },
  },
];

const promoted = (promotions: Promotions, since: number) => eventually(async () => promotions.after(since));
