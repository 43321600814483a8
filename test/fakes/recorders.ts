import type {
  MeasuredRequest,
  ValidationMeter,
  ValidationPart,
  ValidationTimer,
  RefusalDetails,
  Refusals,
} from '#application/validation-ports.js';
import type { Verdict } from '#domain/keys/verdict.js';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';

/** The measurements of one validation. */
class FakeTimer implements ValidationTimer {
  readonly parts: { readonly part: ValidationPart; readonly since: number; readonly until: number }[] = [];
  verdict: Verdict | undefined;
  error: unknown;

  constructor(readonly begunAt: number) {}

  endPart(part: ValidationPart, until = performance.now()): void {
    this.parts.push({ part, since: this.parts.at(-1)?.until ?? this.begunAt, until });
  }

  end(verdict: Verdict): void {
    this.verdict = verdict;
  }

  fail(error: unknown): void {
    this.error = error;
  }
}

/** Collects all measurements for a test. */
export class FakeValidationMeter implements ValidationMeter {
  readonly validations: FakeTimer[] = [];

  begin({ arrivedAt = performance.now() }: MeasuredRequest): ValidationTimer {
    const timer = new FakeTimer(arrivedAt);
    this.validations.push(timer);
    return timer;
  }
}

/** Collects every refusal for a test. */
export class FakeRefusals implements Refusals {
  readonly noted: (FailedAuthentication & RefusalDetails)[] = [];

  note(refused: FailedAuthentication, details: RefusalDetails): void {
    this.noted.push({ ...refused, ...details });
  }
}
