/** The cost of argon2 in suites about something else. */
export const CHEAP_COST = { memoryCost: 1024, timeCost: 1, parallelism: 1 };

/** A hash of PASSWORD at that cost. */
export const CHEAP_HASH =
  '$argon2id$v=19$m=1024,t=1,p=1$8LjMZ3ivn+DPt8f2OcpCEQ$aGcOVFZhyK67XLVy7KhinjRX4tivz0BVV6SR1K7q2qU';
