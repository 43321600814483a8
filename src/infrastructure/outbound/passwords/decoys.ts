import { createHmac, randomBytes } from 'node:crypto';

/** What the stored hashes cost, and the key that says which of them an email without a hash is taken for. */
export interface StoredCosts {
  /** Secret toward all who may sign in, and the same on every instance: else an email's cost would change with it. */
  readonly key: Buffer;
  readonly costs: readonly StoredCost[];
}

interface StoredCost {
  /** How a hash begins, up to its salt: `$argon2id$v=19$m=19456,t=2,p=1`, `$2b$12`. */
  readonly settings: string;
  readonly accounts: number;
}

/**
 * Hashes that no account has, in the proportions of those that are stored: by the time that a refusal takes, an email
 * that nobody has is one more account. An email keeps its decoy as long as the proportions stay.
 */
export class Decoys {
  private stored: StoredCosts;

  /** @param ours how a new hash begins: what a decoy costs where nothing is stored */
  constructor(
    private readonly ours: string,
    private readonly read?: () => Promise<StoredCosts>,
  ) {
    this.stored = { key: randomBytes(32), costs: [] };
  }

  async refresh(): Promise<void> {
    if (this.read) this.stored = await this.read();
  }

  hashFor(email: string): string {
    return withSalt(this.settingsFor(email));
  }

  /**
   * Weighted rendezvous hashing (Schindelhauer and Schomaker 2005): each cost draws a number, exponential with its share,
   * and the least wins. When the shares shift, only as many emails change their cost as have to.
   */
  private settingsFor(email: string): string {
    const { key, costs } = this.stored;
    let chosen = { settings: this.ours, draw: Number.POSITIVE_INFINITY };
    for (const { settings, accounts } of costs) {
      const bytes = createHmac('sha256', key).update(`${settings}\0${email}`).digest();
      const uniform = (bytes.readUIntBE(0, 6) + 1) / (2 ** 48 + 1);
      const draw = -Math.log(uniform) / accounts;
      if (draw < chosen.draw) chosen = { settings, draw };
    }
    return chosen.settings;
  }
}

/** Any salt does: what is computed from it is compared with nothing that a password gives. */
function withSalt(settings: string): string {
  const isBcrypt = settings.startsWith('$2');
  return isBcrypt ? `${settings}$${'.'.repeat(53)}` : `${settings}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
}
