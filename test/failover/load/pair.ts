import { type OwnerLife, playLives, Tally } from '#test/support/history/owner-life.js';
import { findViolation } from '#test/support/history/linearizability.js';
import { ValidationStream } from '#test/support/callers/validation-stream.js';
import type { PlatformLogin } from '#test/support/platform/platform-login.js';
import { startService, type Service } from '#test/support/processes/service.js';
import { Customers } from './customers.js';
import { Ledger } from './ledger.js';
import { Requests } from './requests.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const CUSTOMERS = 3;
const OWNERS_AT_ONCE = 2;

export interface Figures {
  readonly validations: number;
  readonly granted: number;
  readonly unavailable: number;
  readonly staleGrants: number;
  readonly wronglyRefused: number;
  readonly changes: number;
  readonly broken: readonly string[];
  readonly violations: readonly string[];
  /** The time from the promotion to the first grant, for the slower instance. */
  readonly backAfterMs: number;
  /** The longest time without a grant. */
  readonly longestGapMs: number;
  /** When each interruption began and ended, in seconds since the promotion. */
  readonly interruptions: string;
}

/** Two instances and their traffic: requests through guards, people with keys, and lives for the history. */
export class Pair {
  private constructor(
    readonly name: string,
    private readonly services: readonly Service[],
    private readonly login: PlatformLogin,
  ) {}

  static async start(name: string, login: PlatformLogin, env: Record<string, string>): Promise<Pair> {
    const all = {
      ...UNLIMITED,
      DATABASE_PATIENCE_MS: '120',
      ...login.env,
      PASSWORD_SIGN_IN: 'on',
      ...env,
    };
    return new Pair(name, [await startService(all), await startService(all)], login);
  }

  /** Starts traffic, which runs until `end`. */
  begin(): Traffic {
    return new Traffic(this.services, this.login);
  }

  async stop(): Promise<void> {
    for (const service of this.services) await service.stop();
  }
}

export class Traffic {
  readonly ledger = new Ledger();
  private readonly startedAt = performance.now();
  private readonly over = new AbortController();
  private readonly tally = new Tally();
  private readonly customers: Customers;
  private readonly requests: readonly Requests[];
  private readonly streams: readonly ValidationStream[];
  private readonly lives: Promise<readonly OwnerLife[]>;

  constructor(services: readonly Service[], login: PlatformLogin) {
    this.customers = new Customers(services, login, this.ledger, CUSTOMERS);
    this.requests = services.map((service) => new Requests(service, this.ledger));
    this.streams = services.map(({ clients }) => new ValidationStream(clients));
    const instances = services.map((service, index) => ({ service, stream: this.streams[index]! }));
    const course = { ownersAtOnce: OWNERS_AT_ONCE, signal: this.over.signal };
    this.lives = playLives(instances, login, this.tally, course);
  }

  /** The number of grants of the instance with the fewest. */
  get granted(): number {
    return Math.min(...this.requests.map(({ granted }) => granted));
  }

  get changes(): number {
    return this.ledger.changes;
  }

  /** @param promotedAt when the new primary took over, if one did */
  async end(promotedAt: number | undefined): Promise<Figures> {
    this.over.abort();
    await Promise.all([this.customers.stop(), ...this.requests.map((requests) => requests.stop())]);
    const lives = await this.lives;
    for (const stream of this.streams) stream.close();
    const violations = lives.flatMap(({ history }) => findViolation(history) ?? []);
    const since = (at: number) => ((at - (promotedAt ?? this.startedAt)) / 1000).toFixed(1);
    const sum = (of: (requests: Requests) => number) => this.requests.reduce((total, one) => total + of(one), 0);
    const most = (of: (requests: Requests) => number) => Math.max(...this.requests.map(of));
    return {
      validations: sum(({ validations }) => validations) + this.tally.answered + this.tally.unavailable,
      granted: sum(({ granted }) => granted) + this.tally.granted,
      unavailable: sum(({ unavailable }) => unavailable) + this.tally.unavailable + this.customers.unavailable,
      staleGrants: sum(({ staleGrants }) => staleGrants),
      wronglyRefused: sum(({ wronglyRefused }) => wronglyRefused),
      changes: this.changes,
      broken: [...this.customers.broken, ...this.tally.broken],
      violations: violations.map((violation) => JSON.stringify(violation)),
      backAfterMs: promotedAt === undefined ? 0 : most((requests) => requests.backAfterMs(promotedAt)),
      longestGapMs: most(({ longestGapMs }) => longestGapMs),
      interruptions: this.requests
        .flatMap((requests) => requests.interruptions)
        .map(({ from, to }) => `${since(from)}…${since(to)}`)
        .join(' '),
    };
  }
}
