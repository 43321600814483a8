import { availableParallelism } from 'node:os';
import { argon2id } from 'argon2';
import type { Passwords, Requester } from '../../../application/ports.js';
import { Decoys, type StoredCosts } from './decoys.js';
import { Gate } from '../batching/gate.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';
import { parseArgon2id, type Argon2Cost, bcryptProblem, isBcrypt, isCutOff } from './hash-formats.js';
import type { Argon2 } from './hashing.js';

/** OWASP Password Storage Cheat Sheet, argon2id: at least 19 MiB, two passes, a parallelism of one. */
const COST: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** For hashes that the platform pushes, which are recomputed at each sign-in. */
const MOST: Argon2Cost = { memoryCost: 262_144, timeCost: 10, parallelism: 8 };

/** Memory for all running hashes, in KiB: enough for the most expensive hash and a new one. What does not fit waits. */
const MEMORY = MOST.memoryCost + COST.memoryCost;
/** On a machine with two cores, one stays free for everything else. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Short, so that people do not wait for too long. */
const QUEUE_LENGTH = 16;

interface Settings {
  readonly atOnce?: number;
  /** The cost of new hashes. */
  readonly cost?: Argon2Cost;
  /** The costs of the stored hashes. Without it, every decoy costs as much as a new hash. */
  readonly readCosts?: () => Promise<StoredCosts>;
}

export class Argon2Passwords implements Passwords {
  private readonly gate: Gate;
  private readonly decoys: Decoys;
  private readonly cost: Argon2Cost;

  constructor(
    private readonly argon2: Argon2,
    { atOnce = AT_ONCE, cost = COST, readCosts }: Settings = {},
  ) {
    this.gate = new Gate({ atOnce, queueLength: QUEUE_LENGTH, weight: MEMORY });
    this.cost = cost;
    this.decoys = new Decoys(settingsOf(cost), readCosts);
  }

  requireRoom(requester: Requester): void {
    this.gate.requireRoom(requester);
  }

  hash(password: string, requester?: Requester): Promise<string> {
    const work = () => this.argon2.hash(password, { type: argon2id, ...this.cost });
    return this.gate.pass(work, requester, this.cost.memoryCost);
  }

  async verify(
    password: string,
    hash: string | null,
    requester?: Requester,
    email = '',
  ): Promise<{ matches: boolean; outdated: boolean }> {
    const verified = hash ?? this.decoys.hashFor(email);
    const work = () => this.argon2.verify(verified, password);
    const equal = await this.gate.pass(work, requester, parseArgon2id(verified)?.memoryCost);
    // bcrypt ignores bytes beyond its limit, so they may contain a typo. A new hash would include the typo and refuse
    // the correct password.
    const outdated = hash !== null && isCheaper(hash, this.cost) && !isCutOff(hash, password);
    return { matches: equal && hash !== null, outdated };
  }

  /** Call it regularly, because pushed hashes change the costs. */
  refreshDecoys(): Promise<void> {
    return this.decoys.refresh();
  }

  close(): void {
    this.argon2.close?.();
  }

  /** Prepares everything, because the first guess must not take longer than the second. */
  async open(): Promise<void> {
    await Promise.all([this.refreshDecoys(), this.hash('')]);
  }

  instruments(): Instrument[] {
    const { gate } = this;
    return [
      gauge('latchkey_password_hashes_running', 'Passwords being hashed', () => gate.load.running),
      gauge('latchkey_password_hashes_waiting', 'Passwords waiting to be hashed', () => gate.load.waiting),
    ];
  }

  hashProblem(hash: string): string | undefined {
    if (isBcrypt(hash)) return bcryptProblem(hash);
    const cost = parseArgon2id(hash);
    if (!cost)
      return 'must be an argon2id PHC string ($argon2id$v=19$m=…,t=…,p=…$salt$hash) or a bcrypt hash ($2b$12$…)';
    const tooCostly = (Object.keys(MOST) as (keyof Argon2Cost)[]).some((part) => cost[part] > MOST[part]);
    return tooCostly ? `must cost at most m=${MOST.memoryCost},t=${MOST.timeCost},p=${MOST.parallelism}` : undefined;
  }
}

/** bcrypt counts as cheaper at any cost, because it needs almost no memory. */
function isCheaper(hash: string, { memoryCost, timeCost }: Argon2Cost): boolean {
  const cost = parseArgon2id(hash);
  return !cost || cost.memoryCost < memoryCost || cost.timeCost < timeCost;
}

/** The beginning of a hash with this cost, up to its salt. */
function settingsOf({ memoryCost, timeCost, parallelism }: Argon2Cost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}`;
}
