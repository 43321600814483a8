import type {
  RefusalDetails,
  ValidationMeter,
  ValidationPart,
  ValidationTimer,
} from '#application/validation-ports.js';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';
import type { Verdict } from '#domain/keys/verdict.js';

/** The measurements of one validation. */
class FakeTimer implements ValidationTimer {
  readonly parts: { readonly part: ValidationPart; readonly since: number; readonly until: number }[] = [];
  verdict: Verdict | undefined;
  error: unknown;

  constructor(readonly begunAt: number) {}

  endPart(part: ValidationPart, until = performance.now()): void {
    this.parts.push({ part, since: this.parts.at(-1)?.until ?? this.begunAt, until });
  }

  end = (verdict: Verdict) => void (this.verdict = verdict);
  fail = (error: unknown) => void (this.error = error);
}

/** Collects all measurements for a test. */
export function fakeValidationMeter() {
  const validations: FakeTimer[] = [];
  const begin: ValidationMeter['begin'] = ({ arrivedAt = performance.now() }) => {
    validations.push(new FakeTimer(arrivedAt));
    return validations.at(-1)!;
  };
  return { validations, begin };
}

/** Collects every refusal for a test. */
export function fakeRefusals() {
  const noted: (FailedAuthentication & RefusalDetails)[] = [];
  const note = (refused: FailedAuthentication, details: RefusalDetails) => void noted.push({ ...refused, ...details });
  return { noted, note };
}
