import { AccountRow } from './accounts/account-rows.js';
import { AuditEventRow, AuditPruningRow, AuditSealRow } from './audit/audit-rows.js';
import { type Limits, LIMITS, SessionSource } from './client/data-source.js';
import type { Primary } from './client/primary.js';
import { ApiKeyRow, IdleNoticeRow, KeyNoticeRow } from './keys/key-rows.js';
import { LeakReportRow } from './leaks/leak-reports.js';
import { MIGRATIONS } from './migrations/list.js';
import { OutboxRow } from './outbox/outbox-writer.js';
import { PasswordGuessesRow } from './sign-in/password-guesses.js';
import { SessionRow } from './sign-in/sessions.js';

/** The tables that TypeORM reads, as the migrations leave them. `npm run check` compares the two. */
const SCHEMA = {
  entities: [
    AccountRow,
    ApiKeyRow,
    KeyNoticeRow,
    IdleNoticeRow,
    SessionRow,
    PasswordGuessesRow,
    AuditEventRow,
    AuditSealRow,
    AuditPruningRow,
    OutboxRow,
    LeakReportRow,
  ],
  migrations: MIGRATIONS,
};

/** @param limits empty for what takes as long as it takes, such as reading the whole audit trail */
export function createDataSource(primary: Primary, limits: Limits = LIMITS): SessionSource {
  return new SessionSource(primary, SCHEMA, limits);
}
