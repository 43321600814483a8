import type { RefusalDetails, Refusals } from '../../src/application/ports.js';
import type { FailedAuthentication } from '../../src/domain/audit/audit-event.js';

/** Collects every refusal for a test. */
export class FakeRefusals implements Refusals {
  readonly noted: (FailedAuthentication & RefusalDetails)[] = [];

  note(refused: FailedAuthentication, details: RefusalDetails): void {
    this.noted.push({ ...refused, ...details });
  }
}
