import type { LeakReports } from '../../../src/application/ports.js';
import { spendBudget } from '../../../src/domain/leaks/report-budget.js';
import type { FakeStore } from '../fake-store.js';

export const fakeLeakReports = (store: FakeStore): LeakReports => ({
  take: async (reports, { name }, charge) => {
    store.reportBudgets.set(name, spendBudget(charge, store.reportBudgets.get(name), store.now()));
    for (const report of reports) store.leakReports.add(report);
  },
  workOff: async (limit, end) => {
    const oldest = [...store.leakReports].slice(0, limit);
    if (oldest.length === 0) return 0;
    for (const ended of await end(oldest)) store.leakReports.delete(ended);
    return oldest.length;
  },
});
