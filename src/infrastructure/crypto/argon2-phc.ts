export interface Argon2Cost {
  /** KiB */
  readonly memoryCost: number;
  /** Passes. */
  readonly timeCost: number;
  /** Lanes. */
  readonly parallelism: number;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,8})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** The cost written in an argon2id PHC string (RFC 9106 limits), undefined for anything else. */
export function parseArgon2id(hash: string): Argon2Cost | undefined {
  const [, m, t, p] = PHC.exec(hash) ?? [];
  const cost = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) };
  const isPossible = cost.parallelism >= 1 && cost.timeCost >= 1 && cost.memoryCost >= 8 * cost.parallelism;
  return isPossible ? cost : undefined;
}
