import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connectClients, type Clients } from '#test/support/callers/grpc-clients.js';
import { eventually } from '#test/support/eventually.js';
import type { PlatformLogin } from '#test/support/platform/platform-login.js';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { ServiceProcess } from '#test/support/processes/service-process.js';
import { freePorts } from '#test/support/processes/hosted-service.mjs';
import { type Decided, GuardProcess, type Language } from './guard-process.js';
import { LeasedOwner, type Place } from './leased-owner.js';
import { staleGrants } from './stale-grants.js';

export interface StandOptions {
  readonly databaseUrl: string;
  readonly login: PlatformLogin;
  /** One service for each. */
  readonly leaseMs: readonly number[];
  readonly guards: readonly Language[];
  readonly owners: number;
  /** Between two changes of an owner. */
  readonly paceMs: number;
  /** Of each service and guard, for example another clock. */
  readonly env?: (index: number) => Record<string, string>;
}

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const PERMISSIONS = ['', 'systems:read', 'systems:write'];
const CHECK_EVERY_MS = 4;

/** A service in a process of its own, which is started again on the same ports. */
export class Instance implements Place {
  readonly clients: Clients;
  process: ServiceProcess | undefined;

  constructor(private readonly env: Record<string, string>) {
    this.clients = connectClients(this.target);
  }

  get url(): string {
    return `http://127.0.0.1:${this.env['HTTP_PORT']}`;
  }

  get servicesUrl(): string {
    return `http://127.0.0.1:${this.env['SERVICES_PORT']}`;
  }

  get target(): string {
    return `127.0.0.1:${this.env['GRPC_PORT']}`;
  }

  async start(): Promise<void> {
    this.process = await ServiceProcess.startReady(this.env);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.process?.child.kill(signal);
    await this.process?.ended;
  }

  async stop(): Promise<void> {
    this.clients.close();
    await this.end('SIGKILL');
  }
}

/** Services, guards and owners in processes of their own, with leases. */
export class Stand {
  readonly instances: Instance[] = [];
  readonly guards: GuardProcess[] = [];
  private readonly owners: LeasedOwner[] = [];
  private readonly over = new AbortController();
  private living: Promise<unknown> | undefined;

  private constructor(private readonly options: StandOptions) {}

  static async start(options: StandOptions): Promise<Stand> {
    const stand = new Stand(options);
    const { leaseMs, guards, databaseUrl, login, env = () => ({}) } = options;
    for (const [index, each] of leaseMs.entries()) {
      const instance = new Instance({
        ...UNLIMITED,
        ...(await freePorts()),
        SERVICES_PORT: String(await freePort()),
        DATABASE_URL: databaseUrl,
        DATABASE_PATIENCE_MS: '120',
        LEASE_MS: String(each),
        PASSWORD_SIGN_IN: 'on',
        ...login.env,
        ...env(index),
      });
      await instance.start();
      stand.instances.push(instance);
    }
    const { instances } = stand;
    for (const [index, language] of guards.entries()) {
      const first = index % instances.length;
      const turned = [...instances.slice(first), ...instances.slice(0, first)];
      // Over HTTP a guard has one address.
      const target =
        language === 'node' ? `ipv4:${turned.map((each) => each.target).join(',')}` : turned[0]!.servicesUrl;
      const guard = { target, leases: true, paceMs: CHECK_EVERY_MS, permissions: PERMISSIONS };
      stand.guards.push(await GuardProcess.start(language, guard, env(leaseMs.length + index)));
    }
    return stand;
  }

  get changes(): number {
    return this.owners.reduce((sum, { changes }) => sum + changes.length, 0);
  }

  get decisions(): readonly Decided[] {
    return this.guards.flatMap(({ decisions }) => decisions);
  }

  begin(): void {
    const { login, owners, paceMs } = this.options;
    const checkAll = () => {
      const keys = this.owners.flatMap(({ keyStrings }) => keyStrings);
      for (const guard of this.guards) guard.check(keys);
    };
    for (let index = 0; index < owners; index += 1) {
      this.owners.push(new LeasedOwner(this.instances, login, checkAll));
    }
    this.living = Promise.all(this.owners.map((owner) => owner.live(paceMs, this.over.signal)));
  }

  /** Resolves once there were so many more changes. */
  async more(changes: number): Promise<void> {
    const wanted = this.changes + changes;
    await eventually(async () => this.changes >= wanted, 600_000);
  }

  async end() {
    this.over.abort();
    await this.living;
    const { decisions } = this;
    const grants = decisions.filter(({ status }) => status === 200);
    const stale = this.owners.flatMap(({ changes, rotations, keyIds }) =>
      staleGrants(
        changes,
        rotations,
        decisions.filter(({ keyId }) => keyIds.has(keyId)),
      ),
    );
    const ending = this.owners.flatMap(({ changes }) =>
      changes.filter(({ what }) => !/^(create|Reactivate)/.test(what)),
    );
    const waits = ending.map(({ invokedAt, answeredAt }) => answeredAt - invokedAt).filter(Number.isFinite);
    waits.sort((one, other) => one - other);
    return {
      changes: this.changes,
      grants: grants.length,
      'grants under leases, of each guard': this.guards
        .map(({ decisions: own }) => own.filter(isFromLease).length)
        .join(),
      fromLeases: grants.filter(({ isFromLease }) => isFromLease).length,
      refusals: decisions.filter(({ status }) => status !== 200 && status !== 503).length,
      unavailable: decisions.filter(({ status }) => status === 503).length,
      'median change that waits, ms': Math.round(waits[Math.floor(waits.length / 2)]!),
      'slowest, ms': Math.round(waits.at(-1)!),
      stale,
      broken: this.owners.flatMap(({ broken }) => broken),
    };
  }

  async stop(): Promise<void> {
    for (const guard of this.guards) await guard.stop();
    for (const instance of this.instances) await instance.stop();
  }

  anyGuard(): GuardProcess {
    return this.guards[randomInt(this.guards.length)]!;
  }

  anyInstance(): Instance {
    return this.instances[randomInt(this.instances.length)]!;
  }
}

const isFromLease = (decided: Decided) => decided.status === 200 && decided.isFromLease;

/** Freezes a process for a random time, shorter or longer than a lease. */
export async function freeze(signal: (name: 'SIGSTOP' | 'SIGCONT') => void, longestMs: number): Promise<void> {
  signal('SIGSTOP');
  await pause(randomInt(longestMs));
  signal('SIGCONT');
}
