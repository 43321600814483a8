import { changesNothing, INITIAL, type OwnerAction, type OwnerState, step } from './owner-model.js';

/** One call, with its action and its answer. */
export interface Operation {
  readonly action: OwnerAction;
  /** Times on one clock for all calls; no two are equal. */
  readonly invokedAt: number;
  /** Infinity for an unanswered call: it may take effect at any time after its invocation, or never. */
  readonly answeredAt: number;
}

interface Call {
  readonly operation: Operation;
  readonly bit: bigint;
  readonly isRead: boolean;
  /** A text that is equal for interchangeable calls: unanswered calls with the same action. */
  readonly kin: string;
}

/** One possible order of the calls so far. */
interface Course {
  readonly state: OwnerState;
  /** The open calls that have taken effect. */
  readonly applied: bigint;
}

/** With more courses than this for a single answer, the history is too complex to check. */
const MAX_COURSES = 200_000;
/** The number of calls that a violation shows. */
const SHOWN_CALLS = 12;

/**
 * Checks whether every answer could come from a single copy of the state that handles one call at a time, where each
 * call takes effect at one moment between its invocation and its answer (Herlihy and Wing 1990). The search is Wing and
 * Gong's, answer by answer (Lowe 2017, "Testing for linearizability"): it keeps all courses that explain the answers so
 * far, and applies as few of the open calls as possible for the next answer.
 * @returns the first answer that no order explains, the possible states before it, and the calls up to it
 */
export function findViolation(operations: readonly Operation[]) {
  const inOrder = [...operations].sort((one, other) => one.invokedAt - other.invokedAt);
  const calls = inOrder.map((operation, index) => ({
    operation,
    bit: 1n << BigInt(index),
    isRead: changesNothing(operation.action),
    kin: operation.answeredAt === Infinity ? JSON.stringify(operation.action) : String(index),
  }));
  const answered = calls.filter(({ operation }) => operation.answeredAt < Infinity);
  let courses: Course[] = [{ state: INITIAL, applied: 0n }];
  for (const target of answered.sort((one, other) => one.operation.answeredAt - other.operation.answeredAt)) {
    const unexplained = target.operation;
    const begun = calls.filter(({ operation }) => operation.invokedAt < unexplained.answeredAt);
    const open = begun.filter(({ operation }) => operation.answeredAt >= unexplained.answeredAt);
    const explained = explain(courses, open, target);
    if (explained.length === 0) {
      const latest = begun.slice(-SHOWN_CALLS).map(({ operation }) => operation);
      return { unexplained, possibleStates: courses.map(({ state }) => state), latest };
    }
    courses = explained;
  }
  return undefined;
}

/** Every relevant course in which `target` has taken effect by now. */
function explain(courses: readonly Course[], open: readonly Call[], target: Call): Course[] {
  const [reads, writes] = [open.filter(({ isRead }) => isRead), open.filter(({ isRead }) => !isRead)];
  const allReads = maskOf(reads);
  /** The unanswered calls, which need not take effect. */
  const optional = maskOf(open.filter(({ operation }) => operation.answeredAt === Infinity));
  const seen = new Map<string, bigint[]>();
  /** False if a known course reached the same state with all of these reads and no additional unanswered calls. */
  const isNew = ({ state, applied }: Course) => {
    const key = `${applied & ~allReads & ~optional} ${JSON.stringify(state)}`;
    const others = seen.get(key) ?? [];
    if (others.some((other) => !(other & optional & ~applied) && !(applied & allReads & ~other))) return false;
    seen.set(key, [...others, applied]);
    return true;
  };
  const explained: Course[] = [];
  const toExplore = [...courses];
  // The list grows during this loop.
  for (const { state, applied: before } of toExplore) {
    // A read that fits takes effect at once, because it cannot prevent another call.
    const applied = before | maskOf(reads.filter(({ operation }) => step(state, operation.action)));
    if (!isNew({ state, applied })) continue;
    if (applied & target.bit) {
      explained.push({ state, applied: applied & ~target.bit });
      continue;
    }
    const tried = new Set<string>();
    for (const { operation, bit, kin } of writes) {
      if (applied & bit || tried.has(kin)) continue;
      tried.add(kin);
      const next = step(state, operation.action);
      if (next) toExplore.push({ state: next, applied: applied | bit });
    }
    if (toExplore.length > MAX_COURSES) throw new Error('the history is too complex to check');
  }
  return explained;
}

function maskOf(calls: readonly Call[]): bigint {
  return calls.reduce((mask, { bit }) => mask | bit, 0n);
}
