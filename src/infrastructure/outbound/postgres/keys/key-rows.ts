import type { KeyReading } from '../../../../application/ports.js';
import type { AccountStatus } from '../../../../domain/accounts/account.js';
import type { AccessLevel } from '../../../../domain/keys/access.js';
import { KeyStanding } from '../../../../domain/keys/key-standing.js';

/** What `readKeys` answers. */
export interface KeyReadingRow {
  public_part: string;
  id: string | null;
  owner_id: string;
  access: AccessLevel;
  digest: Buffer;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  expired_at: number | null;
  ends_at: number | null;
  awaits_first_use: boolean | null;
  status: AccountStatus;
  permissions: string;
  now: number;
  standby: boolean;
  /** With a read barrier. */
  is_synchronous?: boolean;
  /** In a pool for transactions; null of a standby. */
  timeline?: number | null;
}

/** What one row says, for all who asked for it. */
export function toReading(sentAt: number, row: KeyReadingRow): KeyReading {
  const now = toDate(row.now);
  if (row.id === null) return { now, sentAt };
  const found = KeyStanding.restore({
    id: row.id,
    ownerId: row.owner_id,
    access: row.access,
    digest: row.digest,
    createdAt: toDate(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: row.revoked_at === null ? null : toDate(row.revoked_at),
    expiredAt: row.expired_at === null ? null : toDate(row.expired_at),
    endsAt: row.ends_at === null ? null : toDate(row.ends_at),
    awaitsFirstUse: row.awaits_first_use === true,
    owner: { status: row.status, permissions: row.permissions === '' ? [] : row.permissions.split(' ') },
  });
  return { now, sentAt, found };
}

/** @param seconds of a time kept in milliseconds, with what binary fractions add or take */
function toDate(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}
