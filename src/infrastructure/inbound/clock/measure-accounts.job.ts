import type { Accounts } from '../../../application/ports.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Job } from './job.js';

/** Counts the service accounts that nobody manages, for the metrics. */
export class MeasureAccountsJob implements Job {
  readonly name = 'measure-accounts';
  readonly everyMs = 60_000;
  private withoutManagers = 0;

  constructor(private readonly accounts: Pick<Accounts, 'countWithoutManagers'>) {}

  async run(): Promise<void> {
    this.withoutManagers = await this.accounts.countWithoutManagers();
  }

  instruments(): Instrument[] {
    const help = 'Service accounts that no active person manages, when last counted';
    // All workers count the same accounts, so the highest value counts.
    return [gauge('latchkey_service_accounts_without_managers', help, () => this.withoutManagers, 'max')];
  }
}
