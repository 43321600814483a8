import { createHash } from 'node:crypto';
import { Any, type EntityManager } from 'typeorm';
import type { Requester, LeakReports } from '../../../../application/ports.js';
import type { LeakReport } from '../../../../domain/leaks/leak-report.js';
import { type ReportCharge, spendBudget } from '../../../../domain/leaks/report-budget.js';
import { crowdGate } from '../client/crowd-reader.js';
import { NOW, type Database } from '../client/database.js';
import { LeakReportBudgetRow, LeakReportRow } from './rows.js';

const ROWS_A_STATEMENT = 500;

export class PostgresLeakReports implements LeakReports {
  private readonly gate = crowdGate();

  constructor(private readonly database: Database) {}

  /** Locks the requester's budget until the commit, so that its reports are counted one by one. */
  take(reports: readonly LeakReport[], requester: Requester, charge: ReportCharge): Promise<void> {
    const commit = () =>
      this.database.transaction(async (manager) => {
        await spend(manager, requester.name, charge);
        const rows = reports.map(fromLeakReport);
        // oxlint-disable-next-line no-await-in-loop
        while (rows.length > 0) await manager.query(INSERT, [JSON.stringify(rows.splice(0, ROWS_A_STATEMENT))]);
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
/** One parameter for all rows: a statement may have 65,535, and TypeORM takes long to build one with thousands. */
const INSERT = `
  INSERT INTO leak_reports (public_parts, digests, actor_id, client_ip, user_agent, request_id, source, url)
  SELECT * FROM json_to_recordset($1) AS report (
    "publicParts" text[], digests bytea[], "actorId" text, "clientIp" text, "userAgent" text, "requestId" text,
    source text, url text
  )`;

const LOCK = `
  INSERT INTO leak_report_budgets AS known (network, whole_at) VALUES ($1, ${NOW})
  ON CONFLICT (network) DO UPDATE SET whole_at = known.whole_at
  RETURNING whole_at AS "wholeAt", ${NOW} AS now`;

/** Locks the row and then reads the clock, in one statement. */
async function spend(manager: EntityManager, name: string, charge: ReportCharge): Promise<void> {
  const network = createHash('sha256').update(name).digest();
  const [row] = await manager.query<{ wholeAt: Date; now: Date }[]>(LOCK, [network]);
  await manager.update(LeakReportBudgetRow, { network }, { wholeAt: spendBudget(charge, row!.wholeAt, row!.now) });
}

function fromLeakReport({ keys, reporter, source, url }: LeakReport) {
  return {
    publicParts: keys.map(({ publicPart }) => publicPart),
    digests: keys.map(({ digest }) => `\\x${digest.toString('hex')}`),
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
