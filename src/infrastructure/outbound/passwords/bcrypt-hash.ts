/** The cost that the platform may push: from what bcrypt itself asks for at least, to what a sign-in can wait for. */
const COST = { least: 4, most: 12 };
/** `$2b$12$`, then in bcrypt's own base64 22 characters of salt and 31 of the hash. */
const BCRYPT = /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/;
/** Of a longer password bcrypt hashes the beginning, and says nothing. */
const BYTES_THAT_COUNT = 72;

export function isBcrypt(hash: string): boolean {
  return BCRYPT.test(hash);
}

/** What is wrong with the cost of a bcrypt hash, or undefined. */
export function bcryptProblem(hash: string): string | undefined {
  const cost = Number(BCRYPT.exec(hash)?.groups?.['cost']);
  if (cost >= COST.least && cost <= COST.most) return undefined;
  return `must have a cost from ${COST.least} to ${COST.most} where it is a bcrypt hash`;
}

/** Whether a match says less than it seems to: bytes of the password were never looked at. */
export function isCutOff(hash: string, password: string): boolean {
  return isBcrypt(hash) && Buffer.byteLength(password) > BYTES_THAT_COUNT;
}
