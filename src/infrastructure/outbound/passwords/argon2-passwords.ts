import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { argon2id } from 'argon2';
import type { Passwords, Requester } from '#application/sign-in-ports.js';
import { decoyFor, type StoredCosts } from './decoys.js';
import { Gate } from '../batching/gate.js';
import { gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
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
  readonly cost?: Argon2Cost;
  /** The costs of the stored hashes. Without it, every decoy costs as much as a new hash. */
  readonly readCosts?: () => Promise<StoredCosts>;
}

export class Argon2Passwords implements Passwords {
  private readonly gate: Gate;
  private readonly cost: Argon2Cost;
  private readonly readCosts: Settings['readCosts'];
  private costs: StoredCosts = { key: randomBytes(32), costs: [] };

  constructor(
    private readonly argon2: Argon2,
    { atOnce = AT_ONCE, cost = COST, readCosts }: Settings = {},
  ) {
    this.gate = new Gate({ atOnce, queueLength: QUEUE_LENGTH, weight: MEMORY });
    this.cost = cost;
    this.readCosts = readCosts;
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
    const verified = hash ?? decoyFor(email, this.costs, settingsOf(this.cost));
    const work = () => this.argon2.verify(verified, password);
    const equal = await this.gate.pass(work, requester, parseArgon2id(verified)?.memoryCost);
    // bcrypt ignores bytes beyond its limit, so they may contain a typo. A new hash would include the typo and refuse
    // the correct password.
    const outdated = hash !== null && isCheaper(hash, this.cost) && !isCutOff(hash, password);
    return { matches: equal && hash !== null, outdated };
  }

  /** Call it regularly, because pushed hashes change the costs. */
  async refreshDecoys(): Promise<void> {
    if (this.readCosts) this.costs = await this.readCosts();
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

export interface Argon2Cost {
  /** In KiB. */
  readonly memoryCost: number;
  /** Passes. */
  readonly timeCost: number;
  /** How many parts of the memory are filled at once. */
  readonly parallelism: number;
}

/** The standard orders them m, t, p; some versions of npm's argon2 write m, p, t. */
const PHC =
  /^\$argon2id\$v=19\$m=(?<m>\d{1,10}),(?:t=(?<t>\d{1,10}),p=(?<p>\d{1,8})|p=(?<p2>\d{1,8}),t=(?<t2>\d{1,10}))\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

/** The cost written in an argon2id PHC string (RFC 9106 limits), or undefined for anything else. */
export function parseArgon2id(hash: string): Argon2Cost | undefined {
  const { m, t, p, t2 = t, p2 = p } = PHC.exec(hash)?.groups ?? {};
  const cost = { memoryCost: Number(m), timeCost: Number(t2), parallelism: Number(p2) };
  const isPossible = cost.parallelism >= 1 && cost.timeCost >= 1 && cost.memoryCost >= 8 * cost.parallelism;
  return isPossible ? cost : undefined;
}

/** The cost that the platform may push: from bcrypt's own minimum to what a sign-in can wait for. */
const BCRYPT_COST = { least: 4, most: 12 };
/** `$2b$12$`, then 22 characters of salt and 31 of hash in bcrypt's own base64. */
const BCRYPT = /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/;
/** bcrypt silently ignores all bytes after these. */
const BYTES_THAT_COUNT = 72;

export function isBcrypt(hash: string): boolean {
  return BCRYPT.test(hash);
}

function bcryptProblem(hash: string): string | undefined {
  const cost = Number(BCRYPT.exec(hash)?.groups?.['cost']);
  if (cost >= BCRYPT_COST.least && cost <= BCRYPT_COST.most) return undefined;
  return `must have a cost from ${BCRYPT_COST.least} to ${BCRYPT_COST.most} where it is a bcrypt hash`;
}

/** Whether a match proves only part of the password, because bcrypt ignored the rest. */
function isCutOff(hash: string, password: string): boolean {
  return isBcrypt(hash) && Buffer.byteLength(password) > BYTES_THAT_COUNT;
}
