import { Column, Entity, In, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { TIME, TIME_OR_NULL } from '../client/columns.js';
import { createHash, randomBytes } from 'node:crypto';
import type { Requester, Session, SessionOpening, Sessions, SpentSignIns } from '#application/sign-in-ports.js';
import { type PlatformSignIn, SESSION_HOURS, sessionDigest } from '#domain/accounts/session.js';
import { HOUR_MS } from '#domain/time.js';
import { AuditEventRow, fromAuditEvent } from '../audit/audit-rows.js';
import { type Database, databaseNow, NOW } from '../client/database.js';
import { AccountRow, ACTIVE, storedAs, toAccount } from '../accounts/account-rows.js';
import { crowdGate } from '../client/crowd-reader.js';

@Entity('sessions')
export class SessionRow {
  /** SHA-256 of the token in the cookie. */
  @PrimaryColumn('bytea') tokenDigest!: Buffer;
  @Column('varchar', { length: 128 }) accountId!: string;
  @ManyToOne(() => AccountRow, { nullable: false })
  @JoinColumn({ name: 'account_id' })
  account?: AccountRow;
  @Column(TIME) expiresAt!: Date;
  /** From a sign-in at the platform, like `acr`. */
  @Column(TIME_OR_NULL) authenticatedAt!: Date | null;
  @Column('text', { nullable: true }) acr!: string | null;
}

export class PostgresSessions implements Sessions {
  constructor(private readonly database: Database) {}

  /** The lock keeps a suspension from missing the new session. */
  begin({ accountId: id, passwordHash, signIn, event }: SessionOpening) {
    const where = { id, status: In(storedAs('active')), ...(passwordHash !== undefined && { passwordHash }) };
    return this.database.transaction(async (manager) => {
      const account = await manager.findOne(AccountRow, { where, lock: { mode: 'pessimistic_read' } });
      if (!account) return undefined;
      const token = randomBytes(32).toString('base64url');
      const expiresAt = new Date((await databaseNow(manager)).getTime() + SESSION_HOURS * HOUR_MS);
      const { authenticatedAt = null, acr = null } = signIn ?? {};
      await manager.insert(SessionRow, { tokenDigest: digest(token), accountId: id, expiresAt, authenticatedAt, acr });
      await manager.insert(AuditEventRow, fromAuditEvent(event, id));
      return { token, expiresAt };
    });
  }

  async find(token: string): Promise<Session | undefined> {
    const row = await this.database.run((manager) =>
      manager
        .createQueryBuilder(SessionRow, 'session')
        .innerJoinAndSelect('session.account', 'account')
        .where('session.token_digest = :digest', { digest: digest(token) })
        .andWhere(`session.expires_at > clock_timestamp() AND account.status IN ${ACTIVE}`)
        .getOne(),
    );
    if (!row?.account) return undefined;
    return { account: toAccount(row.account), expiresAt: row.expiresAt, signIn: signInOf(row) };
  }

  async endByDigest(hex: string): Promise<void> {
    await this.database.transaction((manager) => manager.delete(SessionRow, { tokenDigest: Buffer.from(hex, 'hex') }));
  }
}

function digest(token: string): Buffer {
  return Buffer.from(sessionDigest(token), 'hex');
}

/** Undefined when neither value is stored, as after a sign-in with a password that we checked. */
function signInOf({ authenticatedAt, acr }: SessionRow): PlatformSignIn | undefined {
  if (authenticatedAt === null && acr === null) return undefined;
  return { authenticatedAt: authenticatedAt ?? undefined, acr: acr ?? undefined };
}

/** Sign-ins at the platform that came back, by the SHA-256 of the state in their cookie. */
export class PostgresSpentSignIns implements SpentSignIns {
  private readonly gate = crowdGate();

  constructor(private readonly database: Database) {}

  spend(state: string, requester: Requester): Promise<boolean> {
    const stateDigest = createHash('sha256').update(state).digest();
    return this.gate.pass(async () => {
      const spent = await this.database.transaction((manager) => manager.query<unknown[]>(SPEND, [stateDigest]));
      return spent.length > 0;
    }, requester);
  }
}

const SPEND = `
  INSERT INTO spent_sign_ins (state, spent_at) VALUES ($1, ${NOW}) ON CONFLICT (state) DO NOTHING RETURNING state`;
