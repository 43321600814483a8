import { createHash } from 'node:crypto';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';
import { TIME_OR_NULL } from '../client/columns.js';
import type { LeakClaim, LeakReports } from '#application/leak-ports.js';
import type { Requester } from '#application/sign-in-ports.js';
import type { KeyProof } from '#domain/keys/key-string.js';
import { type LeakReport, type ReportCharge, spendBudget } from '#domain/leaks/leak-report.js';
import { crowdGate } from '../client/crowd-reader.js';
import { type Database, insertMany, NOW } from '../client/database.js';

/** A report of leaked keys, until all of them have ended. */
@Entity('leak_reports')
export class LeakReportRow {
  /** Ascending in the order of arrival. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  /** One for each digest, in the same order. */
  @Column('text', { array: true }) publicParts!: string[];
  /** SHA-256 of each key string. */
  @Column('bytea', { array: true }) digests!: Buffer[];
  /** The service that sent the report; null for a report through the public endpoint. */
  @Column('varchar', { length: 128, nullable: true }) actorId!: string | null;
  @Column('varchar', { length: 45, nullable: true }) clientIp!: string | null;
  @Column('varchar', { length: 256, nullable: true }) userAgent!: string | null;
  @Column('varchar', { length: 128, nullable: true }) requestId!: string | null;
  @Column('text', { nullable: true }) source!: string | null;
  @Column('text', { nullable: true }) url!: string | null;
  /** How often keys of the report were left for another turn. */
  @Column('integer', { default: 0 }) tries!: number;
  /** Set by the instance that is ending the keys. If it dies, others may take over after this time. */
  @Column(TIME_OR_NULL) claimedUntil!: Date | null;
}

export class PostgresLeakReports implements LeakReports {
  private readonly gate = crowdGate();

  constructor(private readonly database: Database) {}

  /** Locks the requester's budget until the commit, so that its reports are counted one by one. */
  take(reports: readonly LeakReport[], requester: Requester, charge: ReportCharge): Promise<void> {
    const commit = () =>
      this.database.transaction(async (manager) => {
        await spend(manager, requester.name, charge);
        await insertMany(manager, LeakReportRow, reports.map(fromLeakReport));
      });
    return this.gate.pass(commit, requester);
  }

  async claim(limit: number): Promise<LeakClaim[]> {
    const rows = await this.database.maintain((manager) => manager.query<ClaimedRow[]>(CLAIM, [limit]));
    return rows.map(toLeakClaim);
  }

  async finished({ id, until }: LeakClaim): Promise<void> {
    await this.gate.pass(() => this.database.maintain((manager) => manager.query(FINISH, [id, until])));
  }

  async postpone({ id, until }: LeakClaim, keys: readonly KeyProof[], pauseMs: number): Promise<void> {
    const { publicParts, digests } = fromKeys(keys);
    await this.database.maintain((manager) =>
      manager.query(POSTPONE, [id, until, publicParts, digests, pauseMs / 1000]),
    );
  }
}

/** Longer than a turn (`application/leaks/end-reported-keys.ts`). */
const CLAIM_SECONDS = 10;

/** Skips reports that another instance is claiming. Releases its locks when the statement ends. */
const CLAIM = `
  WITH waiting AS MATERIALIZED (
    SELECT id FROM leak_reports
    WHERE claimed_until IS NULL OR claimed_until <= ${NOW}
      -- The clock was set back.
      OR claimed_until > ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
    ORDER BY tries, id LIMIT $1 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE leak_reports SET claimed_until = ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
    FROM waiting WHERE leak_reports.id = waiting.id
    RETURNING leak_reports.*
  )
  SELECT id, public_parts AS "publicParts", digests, actor_id AS "actorId", client_ip AS "clientIp",
    user_agent AS "userAgent", request_id AS "requestId", source, url, tries, claimed_until AS "claimedUntil"
  FROM claimed ORDER BY tries, id`;

/** Only while the claim is valid. After it ran out, another instance may have claimed the report. */
const CLAIMED = 'id = $1 AND claimed_until = $2';
const FINISH = `DELETE FROM leak_reports WHERE ${CLAIMED}`;
const POSTPONE = `
  UPDATE leak_reports SET tries = tries + 1, public_parts = $3, digests = $4,
    claimed_until = ${NOW} + make_interval(secs => $5)
  WHERE ${CLAIMED}`;

const LOCK = `
  INSERT INTO leak_report_budgets AS known (network, whole_at) VALUES ($1, ${NOW})
  ON CONFLICT (network) DO UPDATE SET whole_at = known.whole_at
  RETURNING whole_at AS "wholeAt", ${NOW} AS now`;

const SPEND = 'UPDATE leak_report_budgets SET whole_at = $2 WHERE network = $1';

/** Locks the row and then reads the clock, in one statement. The name is stored as its SHA-256. */
async function spend(manager: EntityManager, name: string, charge: ReportCharge): Promise<void> {
  const network = createHash('sha256').update(name).digest();
  const [row] = await manager.query<{ wholeAt: Date; now: Date }[]>(LOCK, [network]);
  await manager.query(SPEND, [network, spendBudget(charge, row!.wholeAt, row!.now)]);
}

function fromKeys(keys: readonly KeyProof[]): Pick<LeakReportRow, 'publicParts' | 'digests'> {
  return { publicParts: keys.map(({ publicPart }) => publicPart), digests: keys.map(({ digest }) => digest) };
}

type Automatic = 'id' | 'tries' | 'claimedUntil';

function fromLeakReport({ keys, reporter, source, url }: LeakReport): Omit<LeakReportRow, Automatic> {
  return {
    ...fromKeys(keys),
    actorId: reporter.actorId,
    clientIp: reporter.client.ip,
    userAgent: reporter.client.userAgent,
    requestId: reporter.client.requestId,
    source,
    url,
  };
}

interface ClaimedRow extends LeakReportRow {
  readonly claimedUntil: Date;
}

function toLeakClaim({ id, tries, claimedUntil: until, ...row }: ClaimedRow): LeakClaim {
  const client = { ip: row.clientIp, userAgent: row.userAgent, requestId: row.requestId };
  const report = {
    keys: row.digests.map((digest, index) => ({ publicPart: row.publicParts[index]!, digest })),
    // Only services have a name here.
    reporter: { actorId: row.actorId, actorKind: row.actorId === null ? undefined : ('service' as const), client },
    source: row.source,
    url: row.url,
  };
  return { id, report, tries, until };
}
