import type { RefusalDetails, Refusals } from '#application/ports.js';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';

/** Collects every refusal for a test. */
export class FakeRefusals implements Refusals {
  readonly noted: (FailedAuthentication & RefusalDetails)[] = [];

  note(refused: FailedAuthentication, details: RefusalDetails): void {
    this.noted.push({ ...refused, ...details });
  }
}
