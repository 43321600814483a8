import { createHmac } from 'node:crypto';

/** The costs of the stored hashes, and the key that assigns one of them to an email without a hash. */
export interface StoredCosts {
  /** Secret, and the same on every instance, so that the cost for an email does not vary. */
  readonly key: Buffer;
  readonly costs: readonly StoredCost[];
}

interface StoredCost {
  /** The beginning of a hash, up to its salt: `$argon2id$v=19$m=19456,t=2,p=1`, `$2b$12`. */
  readonly settings: string;
  readonly accounts: number;
}

/**
 * A hash that belongs to no account. Such hashes have costs in the same proportions as the stored ones, so that the time
 * of a refusal does not show whether an email has an account. Weighted rendezvous hashing (Schindelhauer and Schomaker
 * 2005): each cost draws an exponentially distributed number according to its share, and the smallest number wins. When
 * the shares change, as few emails as possible move.
 * @param ours the beginning of a new hash, which sets the cost when nothing is stored
 */
export function decoyFor(email: string, { key, costs }: StoredCosts, ours: string): string {
  let chosen = { settings: ours, draw: Number.POSITIVE_INFINITY };
  for (const { settings, accounts } of costs) {
    const bytes = createHmac('sha256', key).update(`${settings}\0${email}`).digest();
    const uniform = (bytes.readUIntBE(0, 6) + 1) / (2 ** 48 + 1);
    const draw = -Math.log(uniform) / accounts;
    if (draw < chosen.draw) chosen = { settings, draw };
  }
  return withSalt(chosen.settings);
}

/** Any salt works, because the result is never compared with a real hash. */
function withSalt(settings: string): string {
  const isBcrypt = settings.startsWith('$2');
  return isBcrypt ? `${settings}$${'.'.repeat(53)}` : `${settings}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
}
