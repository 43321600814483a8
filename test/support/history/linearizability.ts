import { changesNothing, INITIAL, type OwnerAction, type OwnerState, step } from './owner-model.js';

/** One call, with its action and its answer. */
export interface Operation {
  readonly action: OwnerAction;
  /** Times on one clock for all calls; no two are equal. */
  readonly invokedAt: number;
  /** Infinity for an unanswered call: it may take effect at any time after its invocation, or never. */
  readonly answeredAt: number;
}

interface Violation {
  /** The first answer that no order of the calls explains. */
  readonly unexplained: Operation;
  /** The possible states after the previous answer. */
  readonly possibleStates: readonly OwnerState[];
  /** The last calls up to the unexplained one, in the order of their invocation. */
  readonly latest: readonly Operation[];
}

interface Call extends Operation {
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
 */
export function findViolation(operations: readonly Operation[]): Violation | undefined {
  const calls = [...operations]
    .sort((a, b) => a.invokedAt - b.invokedAt)
    .map((operation, index) => ({
      ...operation,
      bit: 1n << BigInt(index),
      isRead: changesNothing(operation.action),
      kin: operation.answeredAt === Infinity ? JSON.stringify(operation.action) : String(index),
    }));
  const answered = calls.filter(({ answeredAt }) => answeredAt < Infinity).sort((a, b) => a.answeredAt - b.answeredAt);
  let courses: Course[] = [{ state: INITIAL, applied: 0n }];
  for (const call of answered) {
    const open = calls.filter((c) => c.invokedAt < call.answeredAt && c.answeredAt >= call.answeredAt);
    const explained = explain(courses, open, call);
    if (explained.length === 0) {
      const { action, invokedAt, answeredAt } = call;
      const known = operations.filter((c) => c.invokedAt < answeredAt).sort((a, b) => a.invokedAt - b.invokedAt);
      const possibleStates = courses.map(({ state }) => state);
      return { unexplained: { action, invokedAt, answeredAt }, possibleStates, latest: known.slice(-SHOWN_CALLS) };
    }
    courses = explained;
  }
  return undefined;
}

/** Every relevant course in which `target` has taken effect by now. */
function explain(courses: readonly Course[], open: readonly Call[], target: Call): Course[] {
  const reads = open.filter(({ isRead }) => isRead);
  const writes = open.filter(({ isRead }) => !isRead);
  const seen = new Seen(maskOf(reads), maskOf(open.filter(({ answeredAt }) => answeredAt === Infinity)));
  const explained: Course[] = [];
  const toExplore = [...courses];
  // The list grows during this loop.
  for (const { state, applied: before } of toExplore) {
    // A read that fits takes effect at once, because it cannot prevent another call.
    const fitting = reads.filter(({ action, bit }) => !(before & bit) && step(state, action) !== undefined);
    const applied = before | maskOf(fitting);
    if (!seen.add({ state, applied })) continue;
    if (applied & target.bit) {
      explained.push({ state, applied: applied & ~target.bit });
      continue;
    }
    const tried = new Set<string>();
    for (const { action, bit, kin } of writes) {
      if (applied & bit || tried.has(kin)) continue;
      tried.add(kin);
      const next = step(state, action);
      if (next !== undefined) toExplore.push({ state: next, applied: applied | bit });
    }
    if (toExplore.length > MAX_COURSES) throw new Error('the history is too complex to check');
  }
  return explained;
}

/** The explored courses. A course that is certainly worse than one of them is not explored. */
class Seen {
  private readonly byState = new Map<string, bigint[]>();

  constructor(
    private readonly reads: bigint,
    /** The unanswered calls, which need not take effect. */
    private readonly unanswered: bigint,
  ) {}

  /** False if a known course reached the same state with all of these reads and no additional unanswered calls. */
  add({ state, applied }: Course): boolean {
    const owed = applied & ~this.reads & ~this.unanswered;
    const key = `${owed} ${JSON.stringify(state)}`;
    const others = this.byState.get(key) ?? [];
    const isCovered = others.some((other) => !(other & this.unanswered & ~applied) && !(applied & this.reads & ~other));
    if (isCovered) return false;
    this.byState.set(key, [...others, applied]);
    return true;
  }
}

function maskOf(calls: readonly { bit: bigint }[]): bigint {
  return calls.reduce((mask, { bit }) => mask | bit, 0n);
}
