import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../../scripts/lib/paths.mjs';
import { postgresFolder } from '../../../scripts/testing/programs.mjs';
import { sql } from '#test/support/stores/sql.js';
import type { Machine } from './machine.js';

/** The user that Debian's packages create. Patroni and PostgreSQL run as this user. */
const RUNS_AS = 'postgres';

/** Settings of the whole cluster, which Patroni keeps in etcd. */
export type ClusterSettings = Readonly<Record<string, unknown>>;

/** One node: Patroni and the PostgreSQL that it starts, on their own machine. */
export class PatroniNode {
  private readonly folder: string;

  constructor(
    readonly name: string,
    readonly machine: Machine,
    base: string,
    etcd: string,
    settings: ClusterSettings,
  ) {
    this.folder = join(base, name);
    mkdirSync(this.folder);
    chownSync(this.folder, ...idsOf(RUNS_AS));
    const configured = configurationOf(this, join(this.folder, 'data'), etcd, settings);
    writeFileSync(this.configuration, JSON.stringify(configured), { mode: 0o644 });
  }

  start(): void {
    const env = { HOME: this.folder };
    this.machine.start(RUNS_AS, ['patroni', this.configuration], this.log, env);
  }

  /**
   * Resumes a frozen node with a new Patroni. A resumed Patroni up to version 3.0.2 may take the leader's lock back
   * from its successor (patroni/patroni#2689), and no cluster recovers from that by itself.
   */
  async thaw(): Promise<void> {
    await this.machine.kill('patroni');
    this.machine.thaw();
    this.start();
  }

  get host(): string {
    return `${this.machine.address}:5432`;
  }

  /** @param user a superuser by default */
  url(user = 'postgres:of-postgres', database = 'postgres'): string {
    return `postgres://${user}@${this.host}/${database}`;
  }

  /** The answer of Patroni's own API. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Basic ${Buffer.from('patroni:of-patroni').toString('base64')}` };
    return fetch(`http://${this.machine.address}:8008${path}`, { headers, signal: AbortSignal.timeout(2000), ...init });
  }

  async isPrimary(): Promise<boolean> {
    return this.request('/primary').then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  async acceptsWrites(): Promise<boolean> {
    return sql<{ standby: boolean }>(this.url(), 'SELECT pg_is_in_recovery() AS standby').then(
      ([row]) => !row!.standby,
      () => false,
    );
  }

  get log(): string {
    return join(this.folder, 'log');
  }

  private get configuration(): string {
    return join(this.folder, 'patroni.json');
  }
}

/** The shipped file with this node's addresses, without the watchdog, which a test's machine does not have. */
function configurationOf(node: PatroniNode, data: string, etcd: string, settings: ClusterSettings): object {
  const text = readFileSync(join(root, 'deploy/patroni/patroni.yml'), 'utf8');
  const network = node.machine.address.replace(/\d+$/, '0');
  const shipped = parse(
    text
      .replaceAll('10.0.0.1:', `${node.machine.address}:`)
      .replaceAll('10.0.0.0/24', `${network}/24`)
      .replace(/hosts: 10\..*/, `hosts: ${etcd}`),
  );
  const { bootstrap, postgresql } = shipped;
  const dcs = { ...bootstrap.dcs, ...settings };
  return {
    ...shipped,
    name: node.name,
    bootstrap: { ...bootstrap, dcs, initdb: [...bootstrap.initdb, 'no-sync', { locale: 'C.UTF-8' }] },
    postgresql: {
      ...postgresql,
      data_dir: data,
      bin_dir: postgresFolder(),
      // All nodes of a test are on one machine, where two servers cannot share a socket.
      parameters: { ...postgresql.parameters, unix_socket_directories: '', shared_buffers: '32MB' },
    },
    watchdog: { mode: 'off' },
  };
}

function idsOf(user: string): [number, number] {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return [id('-u'), id('-g')];
}
