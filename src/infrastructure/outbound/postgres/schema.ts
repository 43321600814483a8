import { AccountRow } from './accounts/rows.js';
import { AuditEventRow, AuditPruningRow, AuditSealRow } from './audit/rows.js';
import { dataSourceFor, type Limits, LIMITS, type SessionSource } from './client/data-source.js';
import type { Primary } from './client/primary.js';
import { ApiKeyRow, IdleNoticeRow, KeyNoticeRow } from './keys/rows.js';
import { LeakReportBudgetRow, LeakReportRow } from './leaks/rows.js';
import { InstanceRow } from './keys/instances.js';
import { MIGRATIONS } from './migrations/list.js';
import { NoticeSequenceRow, OutboxRow } from './outbox/rows.js';
import { DecoyKeyRow, PasswordGuessesRow, SessionRow, SpentSignInRow } from './sign-in/rows.js';
import { ApiKeyAddressRow, ApiKeyDayRow, ApiKeyNetworkRow, ApiKeyUsageRow } from './usage/rows.js';

/** Every table, as the migrations leave it. `npm run check` compares the two. */
const SCHEMA = {
  entities: [
    AccountRow,
    ApiKeyRow,
    KeyNoticeRow,
    IdleNoticeRow,
    ApiKeyUsageRow,
    ApiKeyAddressRow,
    ApiKeyDayRow,
    ApiKeyNetworkRow,
    SessionRow,
    PasswordGuessesRow,
    SpentSignInRow,
    DecoyKeyRow,
    AuditEventRow,
    AuditSealRow,
    AuditPruningRow,
    OutboxRow,
    NoticeSequenceRow,
    LeakReportRow,
    LeakReportBudgetRow,
    InstanceRow,
  ],
  migrations: MIGRATIONS,
};

/** @param limits empty for what takes as long as it takes, such as reading the whole audit trail */
export function createDataSource(primary: Primary, limits: Limits = LIMITS): SessionSource {
  return dataSourceFor(primary, SCHEMA, limits);
}
