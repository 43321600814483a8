import type { RecordingGate } from '#application/key-ports.js';
import { Gate } from '../../batching/gate.js';
import { unavailable } from '../client/errors.js';
import { withTimeout } from '../../batching/timeout.js';

/** Of the ten connections of the pool, so that locked rows leave most of them to everything else. */
const AT_ONCE = 2;

interface Recording {
  readonly done: Promise<unknown>;
  /** How many callers wait for it. */
  callers: number;
}

/** In the memory of this process: it limits how many connections to PostgreSQL recordings take. */
export class PostgresRecordingGate implements RecordingGate {
  /**
   * @param timeoutMs how long callers wait; undefined means no limit
   * @param underWay by key id
   */
  constructor(
    private readonly timeoutMs: number | undefined,
    private readonly gate = new Gate({ atOnce: AT_ONCE, queueLength: Infinity }),
    private readonly underWay = new Map<string, Recording>(),
  ) {}

  /** The same gate for callers with another timeout. */
  within(timeoutMs: number): PostgresRecordingGate {
    return new PostgresRecordingGate(timeoutMs, this.gate, this.underWay);
  }

  async pass<T>(keyId: string, since: number, record: () => Promise<T>): Promise<T | undefined> {
    const other = this.underWay.get(keyId);
    const recording = other ?? this.begin(keyId, record);
    recording.callers += 1;
    try {
      const result = await this.wait(since, recording.done);
      return other ? undefined : (result as T);
    } finally {
      recording.callers -= 1;
    }
  }

  private wait(since: number, done: Promise<unknown>): Promise<unknown> {
    if (this.timeoutMs === undefined) return done;
    return withTimeout(Math.max(0, since + this.timeoutMs - performance.now()), done);
  }

  private begin(keyId: string, record: () => Promise<unknown>): Recording {
    const work = async () => {
      if (recording.callers === 0) throw unavailable(new Error('the caller no longer waits for this recording'));
      return record();
    };
    const done = this.gate.pass(work).finally(() => this.underWay.delete(keyId));
    const recording: Recording = { done, callers: 0 };
    this.underWay.set(keyId, recording);
    return recording;
  }
}
