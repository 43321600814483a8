// As in choices.ts, so that it is read once.
const { max } = Math;

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Runs events in the order of their true times, in milliseconds. */
export class VirtualTime {
  now = 0;
  private order = 0;
  private readonly heap: Event[] = [];

  at(time: number, run: () => void): void {
    const event = { at: max(time, this.now), order: (this.order += 1), run };
    const { heap } = this;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  /** @param most events: more would be a loop without an end */
  runAll(most = 20_000): void {
    for (let count = 0; this.heap.length > 0; count += 1) {
      if (count > most) throw new Error('the schedule does not end');
      const { at, run } = this.first();
      this.now = at;
      run();
    }
  }

  private first(): Event {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A process on a machine of its own, with clocks that are up to 1 % wrong. */
export class Machine {
  private sleptMs = 0;
  private wallStepMs = 0;
  private busyUntil = 0;
  private life = 0;

  constructor(
    private readonly time: VirtualTime,
    readonly name: string,
    private readonly monotonicRate: number,
    private readonly wallRate: number,
  ) {}

  readonly monotonic = () => (this.time.now - this.sleptMs) * this.monotonicRate;
  readonly wall = () => this.time.now * this.wallRate + this.wallStepMs;

  /** Runs later, once the process is awake, unless it was stopped in the meantime. */
  in(trueMs: number, run: () => void): void {
    this.when(this.time.now + trueMs, this.life, run);
  }

  /** A timer. */
  atMonotonic(untilMs: number, run: () => void): void {
    const remaining = (untilMs - this.monotonic()) / this.monotonicRate;
    if (remaining <= 1e-6) return this.in(1e-6, run);
    this.in(remaining, () => this.atMonotonic(untilMs, run));
  }

  private when(at: number, life: number, run: () => void): void {
    this.time.at(at, () => {
      if (life !== this.life) return;
      if (this.time.now < this.busyUntil) this.when(this.busyUntil, life, run);
      else run();
    });
  }

  /** Stopped with SIGSTOP: both clocks run. */
  pause(ms: number): void {
    this.busyUntil = max(this.busyUntil, this.time.now + ms);
  }

  /** The monotonic clock stands still, and the wall clock runs. Nothing reads a clock before the end. */
  suspend(ms: number, wallStepMs: number): void {
    this.pause(ms);
    this.sleptMs += ms;
    this.wallStepMs += wallStepMs;
  }

  setWall(stepMs: number): void {
    this.wallStepMs += stepMs;
  }

  /** Whatever the process had planned does not happen. */
  stop(): void {
    this.life += 1;
  }
}
