import type { ValidateKeyResponse__Output as Answer } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { secondsOf } from '../callers/key-strings.js';
import { newOwner } from '../callers/owners.js';
import { eventually } from '../eventually.js';
import { shortOrLong } from '../jest/long-form.js';
import type { Service } from '../processes/service.js';

/** Answers about each key at each instance after each change: more than any burst of the tests. */
const ANSWERS = shortOrLong(20, 40);
/** Of the account, together with its limits, in turn. */
const CEILINGS = ['ACCESS_LEVEL_READ_ONLY', 'ACCESS_LEVEL_READ_AND_WRITE'] as const;

/** Requests per second and burst, as the answers show them. */
export interface Charged {
  readonly burst: number;
  readonly perSecond: number;
}

/** One answer about a key. Times are milliseconds on the test's clock. */
interface Charge {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The number of the limit in the order of the changes. */
  readonly limit: number;
  readonly isAdmitted: boolean;
}

interface Seen extends Charge {
  /** One instance and one key. */
  readonly caller: string;
  readonly key: string;
  readonly answer: Answer;
}

/** When a PutAccount was sent and answered. */
interface Change {
  readonly from: number;
  readonly until: number;
}

interface Course {
  readonly instances: readonly Service[];
  /** The limit of keys whose account has none of its own. */
  readonly service: Charged;
  /** What the account is limited to, one after the other; undefined: to nothing of its own. */
  readonly limits: readonly (Charged | undefined)[];
  readonly keyCount: number;
}

/** Validates the keys of a new account at all instances without a pause while the limits change. */
export async function playChanges({ instances, service, limits, keyCount }: Course) {
  const { id, email, person } = await newOwner(instances[0]!);
  const keys: string[] = [];
  while (keys.length < keyCount) keys.push((await person.newKey({ access: 'read-and-write' })).fullKey);
  const [seen, changes, counts]: [Seen[], Change[], Map<string, number>] = [[], [], new Map()];
  const change = async (index: number) => {
    const from = performance.now();
    const { perSecond = 0, burst = 0 } = limits[index] ?? {};
    const terms = { requestsPerSecond: perSecond, burst, maxAccess: CEILINGS[index % 2]! };
    const { clients } = instances[index % 2]!;
    await clients.putAccount({ id, email, permissions: ['systems:read', 'systems:write'], limits: terms });
    changes.push({ from, until: performance.now() });
  };
  await change(0);
  const over = new AbortController();
  const callers = instances.flatMap((instance, place) =>
    keys.map((key) => ({ instance, key, name: `${place} ${key}` })),
  );
  const calls = callers.map(async ({ instance, key, name }) => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      const answer = await instance.clients.validate(key, { operation: 'OPERATION_WRITE' });
      const limit = limits.findIndex((each) => isChargedBy(answer, each, service));
      const isAdmitted = answer.denial?.reason !== 'REASON_RATE_LIMITED';
      seen.push({ caller: name, key, answer, startedAt, endedAt: performance.now(), limit, isAdmitted });
      if (startedAt > changes.at(-1)!.until) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  });
  try {
    for (let index = 0; index < limits.length; index += 1) {
      if (index > 0) await change(index);
      counts.clear();
      await eventually(async () => callers.every(({ name }) => (counts.get(name) ?? 0) >= ANSWERS));
    }
  } finally {
    over.abort();
    await Promise.all(calls);
  }
  const wrong = seen.filter((each) => !isInTime(each, changes) || !isUnderCeiling(each));
  return { seen, changes, wrong };
}

function isChargedBy({ rateLimit }: Answer, limit: Charged | undefined, service: Charged): boolean {
  if (!limit) return rateLimit?.limit === service.burst && rateLimit.window === null;
  const window = rateLimit?.window && secondsOf(rateLimit.window);
  return rateLimit?.limit === limit.burst && window === Math.ceil(limit.burst / limit.perSecond);
}

/** Whether the limit that an answer shows was set before its end, and not replaced before its start. */
function isInTime({ limit, startedAt, endedAt }: Seen, changes: readonly Change[]): boolean {
  const next = changes[limit + 1];
  return limit >= 0 && endedAt > changes[limit]!.from && (!next || startedAt < next.until);
}

/** Whether a request to write was answered as the ceiling next to its limit says. */
function isUnderCeiling({ limit, answer, isAdmitted }: Seen): boolean {
  if (!isAdmitted) return true;
  const isReadOnly = CEILINGS[limit % 2] === 'ACCESS_LEVEL_READ_ONLY';
  return isReadOnly ? answer.denial?.reason === 'REASON_READ_ONLY_KEY' : answer.grant?.access === CEILINGS[limit % 2];
}

/**
 * How many requests a limiter may admit at most that never forgets a used request, while the limit changes: what the last
 * burst holds, what each lower burst could not hold any more, and what was regained in the time that the answers show.
 * A request that was read under the old limit and charged after one under the new limit (`late`) takes the used requests
 * to the old burst and back.
 *
 * @param charges all of one key and one store, in any order
 */
export function mostAdmitted(
  charges: readonly Charge[],
  limits: readonly Charged[],
  changes: readonly Change[],
): number {
  let most = limits.at(-1)!.burst;
  limits.forEach(({ burst, perSecond }, index) => {
    const own = charges.filter(({ limit }) => limit === index);
    const lastEnd = Math.max(changes[index]!.from, ...own.map(({ endedAt }) => endedAt));
    const ends = charges.flatMap(({ startedAt, endedAt }) => (startedAt >= lastEnd ? [endedAt] : []));
    const regainedUntil = ends.length > 0 ? Math.min(...ends) : lastEnd;
    most += Math.ceil(((regainedUntil - changes[index]!.from) / 1000) * perSecond);
    const next = limits[index + 1];
    if (!next) return;
    const firstOfNext = Math.min(
      ...charges.flatMap(({ limit, startedAt }) => (limit === index + 1 ? [startedAt] : [])),
    );
    const late = own.filter(({ endedAt }) => endedAt > firstOfNext).length;
    most += Math.max(0, burst - next.burst) + late * Math.max(1, next.burst - burst);
  });
  return most;
}

/** How many a limiter admits at least: the first burst, and by what each higher burst is higher. */
export function leastAdmitted(charges: readonly Charge[], limits: readonly Charged[]): number {
  const gains = limits.map(({ burst }, index) => {
    const count = charges.filter(({ limit }) => limit === index).length;
    return Math.min(count, Math.max(0, burst - (limits[index - 1]?.burst ?? 0)));
  });
  return gains.reduce((sum, gain) => sum + gain, 0);
}
