import { createHash } from 'node:crypto';
import { Any, type EntityManager } from 'typeorm';
import type { Requester, LeakReports } from '../../../../application/ports.js';
import type { LeakReport } from '../../../../domain/leaks/leak-report.js';
import { spendReport } from '../../../../domain/leaks/report-budget.js';
import { crowdGate } from '../client/crowd-reader.js';
import { NOW, type Database } from '../client/database.js';
import { LeakReportBudgetRow, LeakReportRow } from './rows.js';

export class PostgresLeakReports implements LeakReports {
  private readonly gate = crowdGate();

  constructor(private readonly database: Database) {}

  /** Locks the network's budget until the commit, so that reports from one network are counted one by one. */
  take(reports: readonly LeakReport[], requester: Requester): Promise<void> {
    const commit = () =>
      this.database.transaction(async (manager) => {
        if (!requester.isKnown) await spend(manager, requester.name);
        await manager.insert(LeakReportRow, reports.map(fromLeakReport));
      });
    return this.gate.pass(commit, requester);
  }

  /** Keeps the rows locked until they are deleted. If the process ends before that, another one works them off. */
  async workOff(
    limit: number,
    end: (reports: readonly LeakReport[]) => Promise<readonly LeakReport[]>,
  ): Promise<number> {
    // Usually there is no report, and one statement shows that.
    const [look] = await this.database.run((manager) => manager.query<{ isAny: boolean }[]>(IS_ANY));
    if (!look!.isAny) return 0;
    return this.database.transaction(async (manager) => {
      const rows = await manager.find(LeakReportRow, {
        order: { id: 'ASC' },
        take: limit,
        lock: { mode: 'for_no_key_update', onLocked: 'skip_locked' },
      });
      if (rows.length === 0) return 0;
      const idOf = new Map(rows.map((row) => [toLeakReport(row), row.id]));
      const ended = await end([...idOf.keys()]);
      await manager.delete(LeakReportRow, { id: Any(ended.map((report) => idOf.get(report))) });
      return rows.length;
    });
  }
}

const IS_ANY = 'SELECT EXISTS (SELECT FROM leak_reports) AS "isAny"';
const LOCK = `
  INSERT INTO leak_report_budgets AS known (network, whole_at) VALUES ($1, ${NOW})
  ON CONFLICT (network) DO UPDATE SET whole_at = known.whole_at
  RETURNING whole_at AS "wholeAt", ${NOW} AS now`;

/** Locks the row and then reads the clock, in one statement. */
async function spend(manager: EntityManager, name: string): Promise<void> {
  const network = createHash('sha256').update(name).digest();
  const [row] = await manager.query<{ wholeAt: Date; now: Date }[]>(LOCK, [network]);
  await manager.update(LeakReportBudgetRow, { network }, { wholeAt: spendReport(row!.wholeAt, row!.now) });
}

function fromLeakReport({ keys, reporter, source, url }: LeakReport): Omit<LeakReportRow, 'id'> {
  return {
    publicParts: keys.map(({ publicPart }) => publicPart),
    digests: keys.map(({ digest }) => digest),
    actorId: reporter.actorId,
    clientIp: reporter.client.ip,
    userAgent: reporter.client.userAgent,
    requestId: reporter.client.requestId,
    source,
    url,
  };
}

function toLeakReport(row: LeakReportRow): LeakReport {
  const client = { ip: row.clientIp, userAgent: row.userAgent, requestId: row.requestId };
  return {
    keys: row.digests.map((digest, index) => ({ publicPart: row.publicParts[index]!, digest })),
    reporter: { actorId: row.actorId, client },
    source: row.source,
    url: row.url,
  };
}
