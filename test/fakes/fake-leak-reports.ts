import { randomUUID } from 'node:crypto';
import type { LeakClaim, LeakReports } from '#application/leak-ports.js';
import { spendBudget } from '#domain/leaks/leak-report.js';
import type { FakeStore, StoredReport } from './fake-store.js';

const CLAIM_MS = 10_000;

export const fakeLeakReports = (store: FakeStore): LeakReports => {
  /** When each requester's budget is full again. */
  const budgets = new Map<string, Date>();
  const claimed = ({ id, until }: LeakClaim) => store.leakReports.get(id)?.claimedUntil?.getTime() === until.getTime();
  const put = (id: string, stored: StoredReport) => store.leakReports.set(id, stored);
  return {
    take: async (reports, { name }, charge) => {
      budgets.set(name, spendBudget(charge, budgets.get(name), store.now()));
      for (const report of reports) put(randomUUID(), { report, tries: 0, claimedUntil: null });
    },
    claim: async (limit) => {
      const waiting = [...store.leakReports].filter(
        ([, { claimedUntil: until }]) => !until || until <= store.now() || until > store.in(CLAIM_MS),
      );
      const first = waiting.sort(([, one], [, other]) => one.tries - other.tries).slice(0, limit);
      return first.map(([id, { report, tries }]) => {
        const until = store.in(CLAIM_MS);
        put(id, { report, tries, claimedUntil: until });
        return { id, report, tries, until };
      });
    },
    finished: async (claim) => {
      if (claimed(claim)) store.leakReports.delete(claim.id);
    },
    postpone: async (claim, keys, pauseMs) => {
      const { id, report, tries } = claim;
      if (claimed(claim)) put(id, { report: { ...report, keys }, tries: tries + 1, claimedUntil: store.in(pauseMs) });
    },
  };
};
