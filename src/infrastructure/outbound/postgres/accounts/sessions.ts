import { createHash, randomBytes } from 'node:crypto';
import { Sessions, type Session } from '../../../../application/ports.js';
import { NO_CLIENT } from '../../../../domain/audit/audit-event.js';
import { SESSION_HOURS } from '../../../../domain/accounts/session.js';
import type { Database } from '../connection/database.js';
import { toAccount } from '../tables/mapping.js';
import { SessionRow } from '../tables/rows.js';

export class PostgresSessions extends Sessions {
  constructor(private readonly database: Database) {
    super();
  }

  /**
   * The account's row is read locked, so that no session slips past a suspension or a password change. One statement, so that
   * the session and its event commit together.
   */
  async begin(accountId: string, passwordHash: string, { ip, userAgent, requestId } = NO_CLIENT) {
    const token = randomBytes(32).toString('base64url');
    const [opened] = await this.database.run((manager) =>
      manager.query<{ expires_at: Date }[]>(
        `WITH signed_in AS (
          SELECT id FROM accounts WHERE id = $1 AND status = 'active' AND password_hash = $2 FOR SHARE
        ), opened AS (
          INSERT INTO sessions (token_digest, account_id, expires_at)
          SELECT $3, id, clock_timestamp() + make_interval(hours => $4) FROM signed_in RETURNING account_id, expires_at
        ), recorded AS (
          INSERT INTO audit_events (type, owner_id, actor_id, client_ip, user_agent, request_id)
          SELECT 'session.opened', account_id, account_id, $5, $6, $7 FROM opened
        )
        SELECT expires_at FROM opened`,
        [accountId, passwordHash, digest(token), SESSION_HOURS, ip, userAgent, requestId],
      ),
    );
    return opened && { token, expiresAt: opened.expires_at };
  }

  async find(token: string): Promise<Session | undefined> {
    const row = await this.database.run((manager) =>
      manager
        .createQueryBuilder(SessionRow, 'session')
        .innerJoinAndSelect('session.account', 'account')
        .where('session.token_digest = :digest', { digest: digest(token) })
        .andWhere(`session.expires_at > clock_timestamp() AND account.status = 'active'`)
        .getOne(),
    );
    return row?.account ? { account: toAccount(row.account), expiresAt: row.expiresAt } : undefined;
  }

  async end(token: string): Promise<void> {
    await this.database.run((manager) => manager.delete(SessionRow, { tokenDigest: digest(token) }));
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
