import type { OpenQuestion } from './open-question.js';
import { PassingMap } from './passing-map.js';

/** The longest time that Node's timers can wait, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Ends questions at their deadlines, with one timer for all. All wait equally long, so they end in order, except those whose
 * requests first waited for another call.
 */
export class Deadlines {
  private readonly open = new PassingMap<OpenQuestion, OpenQuestion>();
  private timer: NodeJS.Timeout | undefined;
  private latestAt = 0;

  add(question: OpenQuestion): void {
    if (question.deadlineAt < this.latestAt) {
      const leftMs = question.deadlineAt - performance.now();
      setTimeout(() => question.isSettled || question.expire(), Math.max(0, leftMs));
      return;
    }
    this.latestAt = question.deadlineAt;
    this.open.set(question, question);
    this.timer ??= this.wakeAt(question.deadlineAt);
    // While a question is open, the timer keeps the process alive; otherwise it does not.
    if (this.open.size === 1) this.timer.ref();
  }

  remove(question: OpenQuestion): void {
    this.open.delete(question);
    if (this.open.size === 0) this.timer?.unref();
  }

  private readonly sweep = (): void => {
    this.timer = undefined;
    const now = performance.now();
    for (const question of this.open.values()) {
      if (question.deadlineAt > now) {
        this.timer = this.wakeAt(question.deadlineAt);
        return;
      }
      question.expire();
    }
  };

  private wakeAt(deadlineAt: number): NodeJS.Timeout {
    return setTimeout(this.sweep, Math.min(deadlineAt - performance.now(), longestTimerMs));
  }
}
