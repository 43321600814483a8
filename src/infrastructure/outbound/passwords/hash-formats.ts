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

/** What is wrong with the cost of a bcrypt hash, or undefined. */
export function bcryptProblem(hash: string): string | undefined {
  const cost = Number(BCRYPT.exec(hash)?.groups?.['cost']);
  if (cost >= BCRYPT_COST.least && cost <= BCRYPT_COST.most) return undefined;
  return `must have a cost from ${BCRYPT_COST.least} to ${BCRYPT_COST.most} where it is a bcrypt hash`;
}

/** Whether a match proves only part of the password, because bcrypt ignored the rest. */
export function isCutOff(hash: string, password: string): boolean {
  return isBcrypt(hash) && Buffer.byteLength(password) > BYTES_THAT_COUNT;
}
