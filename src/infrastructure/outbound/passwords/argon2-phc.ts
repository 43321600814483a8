export interface Argon2Cost {
  /** KiB */
  readonly memoryCost: number;
  /** Passes. */
  readonly timeCost: number;
  /** How many parts of the memory are filled at once. */
  readonly parallelism: number;
}

/** The order m, t, p is the standard's; some versions of npm's argon2 write m, p, t. */
const PHC =
  /^\$argon2id\$v=19\$m=(?<m>\d{1,10}),(?:t=(?<t>\d{1,10}),p=(?<p>\d{1,8})|p=(?<p2>\d{1,8}),t=(?<t2>\d{1,10}))\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

/** The cost written in an argon2id PHC string (RFC 9106 limits), undefined for anything else. */
export function parseArgon2id(hash: string): Argon2Cost | undefined {
  const { m, t, p, t2 = t, p2 = p } = PHC.exec(hash)?.groups ?? {};
  const cost = { memoryCost: Number(m), timeCost: Number(t2), parallelism: Number(p2) };
  const isPossible = cost.parallelism >= 1 && cost.timeCost >= 1 && cost.memoryCost >= 8 * cost.parallelism;
  return isPossible ? cost : undefined;
}
