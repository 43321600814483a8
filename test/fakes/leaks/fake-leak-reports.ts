import type { Asker, LeakReports } from '../../../src/application/ports.js';
import type { LeakReport } from '../../../src/domain/leaks/leak-report.js';
import { spendReport } from '../../../src/domain/leaks/report-budget.js';
import type { FakeStore } from '../fake-store.js';

export class FakeLeakReports implements LeakReports {
  constructor(private readonly store: FakeStore) {}

  async take(reports: readonly LeakReport[], { name, isKnown }: Asker): Promise<void> {
    const { leakReports, reportBudgets } = this.store;
    if (!isKnown) reportBudgets.set(name, spendReport(reportBudgets.get(name), this.store.now()));
    for (const report of reports) leakReports.set(report, { isHeld: false });
  }

  async workOff(
    limit: number,
    end: (reports: readonly LeakReport[]) => Promise<readonly LeakReport[]>,
  ): Promise<number> {
    const { leakReports } = this.store;
    const free = [...leakReports].filter(([, { isHeld }]) => !isHeld).slice(0, limit);
    if (free.length === 0) return 0;
    for (const [, stored] of free) stored.isHeld = true;
    try {
      for (const ended of await end(free.map(([report]) => report))) leakReports.delete(ended);
    } finally {
      for (const [, stored] of free) stored.isHeld = false;
    }
    return free.length;
  }
}
