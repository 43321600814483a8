import type { ValidationPart } from '../../../src/application/validation/validation-parts.js';
import type { ValidationMeter } from '../../../src/application/ports.js';
import type { Verdict } from '../../../src/domain/keys/verdict.js';

/** Keeps everything that is counted, for a test to look at. */
export class FakeValidationMeter implements ValidationMeter {
  readonly parts: { readonly part: ValidationPart; readonly since: number; readonly until: number }[] = [];
  readonly verdicts: { readonly verdict: Verdict; readonly begun: number }[] = [];
  /** When those that failed had begun. */
  readonly failures: number[] = [];

  begin(): number {
    return performance.now();
  }

  countPart(part: ValidationPart, since: number, until = performance.now()): number {
    this.parts.push({ part, since, until });
    return until;
  }

  countVerdict(verdict: Verdict, begun: number): void {
    this.verdicts.push({ verdict, begun });
  }

  countFailure(begun: number): void {
    this.failures.push(begun);
  }
}
