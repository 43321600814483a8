import type { EndReportedKeys } from '../../../application/leaks/end-reported-keys.js';
import type { ReportLeakedKeys } from '../../../application/leaks/report-leaked-keys.js';
import type { Log } from '../../telemetry/log.js';
import type { Job } from './job.js';

/** Ends the keys of recorded leak reports. Runs in every instance. */
export class EndReportedKeysJob implements Job {
  readonly name = 'end-reported-keys';
  /** Also picks up reports of an instance that has stopped. */
  readonly everyMs = 500;

  constructor(
    private readonly endReportedKeys: EndReportedKeys,
    private readonly reports: ReportLeakedKeys,
    private readonly log: Log,
  ) {}

  hurriedBy(hurry: () => void): void {
    this.reports.whenReported(hurry);
  }

  stop(): void {
    this.endReportedKeys.stop();
  }

  async run(): Promise<void> {
    const ended = await this.endReportedKeys.execute();
    if (ended > 0) this.log.info('leaked keys ended', { ended });
  }
}
