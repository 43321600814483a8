import { availableParallelism } from 'node:os';
import { argon2id } from 'argon2';
import { Passwords, type Asker } from '../../../application/ports.js';
import { Gate } from './gate.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';
import { parseArgon2id, type Argon2Cost } from './argon2-phc.js';
import { bcryptProblem, isBcrypt, isCutOff } from './bcrypt-hash.js';
import type { Argon2 } from './hashing.js';

/** OWASP Password Storage Cheat Sheet, argon2id: at least 19 MiB, two passes, a parallelism of one. */
const COST: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A pushed hash is recomputed at each sign-in: one that costs more than this would let the platform's data stop us. */
const MOST: Argon2Cost = { memoryCost: 262_144, timeCost: 10, parallelism: 8 };

/** A machine of two cores keeps one for all else. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const QUEUE_LENGTH = 16;

export class Argon2Passwords extends Passwords {
  /** A short queue keeps the wait shorter than people's patience. */
  private readonly gate: Gate;
  /** A hash that no account has, at the cost of a new one. */
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly argon2: Argon2,
    atOnce = AT_ONCE,
    private readonly cost = COST,
  ) {
    super();
    this.gate = new Gate({ atOnce, queueLength: QUEUE_LENGTH });
  }

  hash(password: string, asker?: Asker): Promise<string> {
    return this.gate.pass(() => this.argon2.hash(password, { type: argon2id, ...this.cost }), asker);
  }

  async verify(password: string, hash: string | null, asker?: Asker): Promise<{ matches: boolean; outdated: boolean }> {
    const decoy = await this.decoyHash();
    const equal = await this.gate.pass(() => this.argon2.verify(hash ?? decoy, password), asker);
    // What is beyond the bytes that bcrypt looks at may be a slip: hashed anew, it would keep the right password out.
    const outdated = hash !== null && isCheaper(hash, this.cost) && !isCutOff(hash, password);
    return { matches: equal && hash !== null, outdated };
  }

  close(): void {
    this.argon2.close?.();
  }

  /** Ahead of the first guess, which must not take longer than the second. */
  async open(): Promise<void> {
    await this.decoyHash();
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

  private decoyHash(): Promise<string> {
    this.decoy ??= this.argon2.hash('', { type: argon2id, ...this.cost }).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }
}

/** bcrypt, which needs next to no memory, is cheaper at any cost. */
function isCheaper(hash: string, { memoryCost, timeCost }: Argon2Cost): boolean {
  const cost = parseArgon2id(hash);
  return !cost || cost.memoryCost < memoryCost || cost.timeCost < timeCost;
}
