import type { RefusalDetails, Refusals } from '../../src/application/ports.js';
import type { FailedAuthentication } from '../../src/domain/audit/audit-event.js';

/** Keeps every refusal, for a test to look at. */
export class FakeRefusals implements Refusals {
  readonly noted: (FailedAuthentication & RefusalDetails)[] = [];

  note(refused: FailedAuthentication, details: RefusalDetails): void {
    this.noted.push({ ...refused, ...details });
  }
}
