import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { eventually } from '#test/support/eventually.js';
import { sql } from '#test/support/stores/sql.js';
import type { Machine } from './machine.js';
import { Network } from './network.js';
import { type ClusterSettings, PatroniNode } from './patroni-node.js';

/** The role that the service connects as, with its password. */
const ROLE = 'latchkey:of-latchkey';

/** Three Patroni nodes, their etcd, and HAProxy in front, as in deploy/patroni. */
export class PatroniCluster {
  readonly nodes: readonly PatroniNode[];
  private readonly etcd: Machine;
  private readonly proxy: Machine;

  private constructor(
    private readonly folder: string,
    private readonly network: Network,
    settings: ClusterSettings,
  ) {
    this.etcd = network.machine(11);
    this.proxy = network.machine(20);
    this.nodes = [1, 2, 3].map(
      (number) =>
        new PatroniNode(`node${number}`, network.machine(number), folder, `${this.etcd.address}:2379`, settings),
    );
  }

  /** Resolves when a primary and its synchronous standby run, with an empty database. */
  static async start(settings: ClusterSettings = {}): Promise<PatroniCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'patroni-'));
    // Patroni's user must be able to pass through it.
    chmodSync(folder, 0o711);
    const cluster = new PatroniCluster(folder, await Network.open(), settings);
    try {
      cluster.startEtcd();
      cluster.startProxy();
      for (const node of cluster.nodes) node.start();
      await cluster.whole();
      await cluster.createDatabase();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The service's URL through HAProxy. */
  get proxyUrl(): string {
    return `postgres://${ROLE}@${this.proxy.address}:5432/latchkey`;
  }

  /** The service's URL with the nodes' own addresses. */
  get hostsUrl(): string {
    return `postgres://${ROLE}@${this.nodes.map(({ host }) => host).join(',')}/latchkey`;
  }

  urlOf(node: PatroniNode): string {
    return node.url(ROLE, 'latchkey');
  }

  /** The node that Patroni calls the primary. */
  async leader(): Promise<PatroniNode> {
    return eventually(async () => {
      const isPrimary = await Promise.all(this.nodes.map((node) => node.isPrimary()));
      return this.nodes[isPrimary.indexOf(true)];
    });
  }

  /** Waits until both other nodes stream from a primary and, according to etcd, one of them may take over. */
  async whole(): Promise<PatroniNode> {
    return eventually(async () => {
      const leader = await this.leader();
      const streaming = await sql(
        leader.url(),
        `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND application_name LIKE 'node%'`,
      ).catch(() => []);
      // The answer may stop in its middle, too.
      const answered = leader.request('/cluster').then((answer) => answer.json());
      const { members } = (await answered.catch(() => ({ members: [] }))) as { members: { role: string }[] };
      return streaming.length === 2 && members.some(({ role }) => role === 'sync_standby') && leader;
    });
  }

  /** Changes settings of the whole cluster, as `patronictl edit-config` does. */
  async configure(settings: ClusterSettings): Promise<void> {
    const leader = await this.leader();
    const body = JSON.stringify(settings);
    const answer = await leader.request('/config', { method: 'PATCH', body, signal: AbortSignal.timeout(60_000) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** Makes another node the leader, as an operator does. */
  async switchover(): Promise<void> {
    const leader = await this.leader();
    const body = JSON.stringify({ leader: leader.name });
    const answer = await leader.request('/switchover', { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** Makes a node the leader where no node may take over by itself, as an operator does. */
  async failTo(node: PatroniNode): Promise<void> {
    const body = JSON.stringify({ candidate: node.name });
    await eventually(async () => {
      await node
        .request('/failover', { method: 'POST', body, signal: AbortSignal.timeout(60_000) })
        .catch(() => undefined);
      return node.isPrimary();
    });
  }

  async stopEtcd(): Promise<void> {
    await this.etcd.kill();
  }

  startEtcd(): void {
    const url = `http://${this.etcd.address}:2379`;
    const data = join(this.folder, 'etcd');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const where = ['--data-dir', data, '--listen-client-urls', url, '--advertise-client-urls', url];
    const peers = ['--listen-peer-urls', 'http://127.0.0.1:2380'];
    this.etcd.start('root', ['etcd', ...where, ...peers], join(this.folder, 'etcd.log'));
  }

  async stop(): Promise<void> {
    await this.network.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private startProxy(): void {
    const shipped = readFileSync(join(root, 'deploy/patroni/haproxy.cfg'), 'utf8');
    const file = join(this.folder, 'haproxy.cfg');
    writeFileSync(
      file,
      shipped.replaceAll(/10\.0\.0\.(\d)/g, (_, number: string) => this.nodes[Number(number) - 1]!.machine.address),
    );
    this.proxy.start('root', ['haproxy', '-db', '-f', file], join(this.folder, 'haproxy.log'));
  }

  private async createDatabase(): Promise<void> {
    const [user, password] = ROLE.split(':');
    const leader = await this.leader();
    await sql(leader.url(), `CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
    await sql(leader.url(), `CREATE DATABASE latchkey OWNER ${user}`);
  }
}
