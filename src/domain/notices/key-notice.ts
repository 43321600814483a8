import type { ApiKey } from '../keys/api-key.js';
import { maskKey } from '../keys/key-string.js';
import type { RevocationReason } from '../keys/revocation-reason.js';

/** What receivers are told of a key. */
export const NOTICE_TYPES = [
  'api_key.created',
  'api_key.rotated',
  'api_key.rotation_unused',
  'api_key.revoked',
  'api_key.expiring',
  'api_key.expired',
  'api_key.leaked',
  'api_key.used_from_new_network',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

export interface KeyNotice {
  readonly type: NoticeType;
  readonly key: ApiKey;
  /** Of a revocation. */
  readonly reason?: RevocationReason;
  readonly replacesKeyId?: string;
  /** Where the request came from that the notice tells of. */
  readonly clientIp?: string | null;
}

/** As it is sent: text and numbers alone, and never a secret. */
export interface NoticeData {
  /** Counts up for each key, since what was sent later may arrive earlier. */
  readonly sequence: number;
  readonly keyId: string;
  readonly ownerId: string;
  readonly name: string;
  /** What lists show of the key. */
  readonly prefix: string;
  readonly reason?: RevocationReason;
  readonly expiresAt: string;
  /** When it ends, or has ended, because its successor is in use. */
  readonly endsAt?: string;
  readonly replacesKeyId?: string;
  readonly clientIp?: string;
}

/** Field by field, so that nothing else of the key leaves with it. */
export function noticeData({ key, reason, ...notice }: KeyNotice, sequence: number): NoticeData {
  const { id, ownerId, name, keyPrefix, publicPart, expiresAt, endsAt } = key.snapshot();
  return {
    sequence,
    keyId: id,
    ownerId,
    name,
    prefix: maskKey(keyPrefix, publicPart),
    ...(reason && { reason }),
    expiresAt: expiresAt.toISOString(),
    ...(endsAt && { endsAt: endsAt.toISOString() }),
    ...(notice.replacesKeyId && { replacesKeyId: notice.replacesKeyId }),
    ...(notice.clientIp && { clientIp: notice.clientIp }),
  };
}
