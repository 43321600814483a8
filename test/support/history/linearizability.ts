/** One call, with what it asked and what it was told. */
export interface Operation<Action> {
  readonly action: Action;
  /** On one clock for all calls, on which no two moments are alike. */
  readonly invokedAt: number;
  /** Infinity when it was never answered: it may have taken effect at any time since, may yet, or never will. */
  readonly answeredAt: number;
}

export interface Model<State, Action> {
  /** States are plain data, and equal ones read equal as JSON. */
  readonly initial: State;
  /** What the action leaves behind, or undefined when `state` can't have given its answer. */
  step(state: State, action: Action): State | undefined;
  /** With the answer that it got, in any state. */
  changesNothing(action: Action): boolean;
}

export interface Violation<State, Action> {
  /** The first answer that no order of the calls explains. */
  readonly unexplained: Operation<Action>;
  /** What the state may have been when the call before it was answered. */
  readonly possibleStates: readonly State[];
  /** Up to the one that is unexplained, by the time they were made. */
  readonly latest: readonly Operation<Action>[];
}

interface Call<Action> extends Operation<Action> {
  readonly bit: bigint;
  readonly isRead: boolean;
  /** The same for calls that are interchangeable: unanswered ones that asked the same. */
  readonly kin: string;
}

/** One way in which it may have gone so far. */
interface Course<State> {
  readonly state: State;
  /** Of the calls that are under way, those that have taken effect. */
  readonly applied: bigint;
}

/** More than this for a single answer, and the history is too wild to be judged. */
const MAX_COURSES = 200_000;
const TOLD_OF = 12;

/**
 * Whether every answer is one that a single copy of the state, asked one call at a time, could have given, each call
 * taking effect at one moment between its invocation and its answer (Herlihy and Wing 1990). The search is Wing and
 * Gong's, answer by answer (Lowe 2017, "Testing for linearizability"): it carries along all courses that explain the
 * answers so far, and for the next answer applies as few of the open calls as will do.
 */
export function findViolation<State, Action>(
  model: Model<State, Action>,
  operations: readonly Operation<Action>[],
): Violation<State, Action> | undefined {
  const calls = [...operations]
    .sort((a, b) => a.invokedAt - b.invokedAt)
    .map((operation, index) => ({
      ...operation,
      bit: 1n << BigInt(index),
      isRead: model.changesNothing(operation.action),
      kin: operation.answeredAt === Infinity ? JSON.stringify(operation.action) : String(index),
    }));
  const answered = calls.filter(({ answeredAt }) => answeredAt < Infinity).sort((a, b) => a.answeredAt - b.answeredAt);
  let courses: Course<State>[] = [{ state: model.initial, applied: 0n }];
  for (const call of answered) {
    const open = calls.filter((c) => c.invokedAt < call.answeredAt && c.answeredAt >= call.answeredAt);
    const explained = explain(model, courses, open, call);
    if (explained.length === 0) {
      const { action, invokedAt, answeredAt } = call;
      const known = operations.filter((c) => c.invokedAt < answeredAt).sort((a, b) => a.invokedAt - b.invokedAt);
      const possibleStates = courses.map(({ state }) => state);
      return { unexplained: { action, invokedAt, answeredAt }, possibleStates, latest: known.slice(-TOLD_OF) };
    }
    courses = explained;
  }
  return undefined;
}

/** Every course, as far as it matters, in which `target` has taken effect just now or earlier. */
function explain<State, Action>(
  model: Model<State, Action>,
  courses: readonly Course<State>[],
  open: readonly Call<Action>[],
  target: Call<Action>,
): Course<State>[] {
  const reads = open.filter(({ isRead }) => isRead);
  const writes = open.filter(({ isRead }) => !isRead);
  const seen = new Seen<State>(maskOf(reads), maskOf(open.filter(({ answeredAt }) => answeredAt === Infinity)));
  const explained: Course<State>[] = [];
  const toExplore = [...courses];
  // Grows while it is walked.
  for (const { state, applied: before } of toExplore) {
    // A read that fits takes effect at once: it stands in nobody's way.
    const fitting = reads.filter(({ action, bit }) => !(before & bit) && model.step(state, action) !== undefined);
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
      const next = model.step(state, action);
      if (next !== undefined) toExplore.push({ state: next, applied: applied | bit });
    }
    if (toExplore.length > MAX_COURSES) throw new Error('the history can’t be judged: too much is possible');
  }
  return explained;
}

/** What was explored, so that nothing is explored again that can only fare worse. */
class Seen<State> {
  private readonly byState = new Map<string, bigint[]>();

  constructor(
    private readonly reads: bigint,
    /** Calls that need not take effect at all. */
    private readonly unanswered: bigint,
  ) {}

  /** False when a course to the same state was seen that has done as many reads and spent no other unanswered call. */
  add({ state, applied }: Course<State>): boolean {
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
