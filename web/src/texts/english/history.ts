import type { DenialReason } from '../../../../src/domain/keys/verdict';

/** The usage of a key. Numbers and dates come written. */
export const history = {
  title: 'Usage',
  lastDays: (days: number) => `Last ${days} days`,
  never: 'Not used yet',
  notLately: (days: number) => `No requests in the last ${days} days`,
  failed: 'Usage could not be loaded',
  granted: (count: string) => `${count} accepted`,
  refused: (count: string) => `${count} rejected`,
  chart: (days: number) => `Requests per day, last ${days} days`,
  day: (day: string, granted: string, refused: string) => `${day}: ${granted} accepted · ${refused} rejected`,
  dayAloud: (day: string, granted: string, refused: string) => `${day}: ${granted} accepted, ${refused} rejected`,
  table: 'Numbers by day',
  column: { day: 'Day (UTC)', granted: 'Accepted', refused: 'Rejected' },
  addresses: 'Addresses',
  /** Below the chart, where requests were rejected. */
  rejected: 'Why the last one was rejected is listed below, by address.',
  noAddress: 'No request from a known address yet.',
  isNew: 'New',
  lastSeen: (relative: string) => `last seen ${relative}`,
  since: (date: string) => `since ${date}`,
  via: (service: string) => `via ${service}`,
  viaProxy: 'via a proxy',
  lastDenied: (relative: string) => `rejected ${relative}:`,
  denied: {
    operation: { read: 'read', write: 'write', destroy: 'delete' } as Readonly<Record<string, string>>,
    /** Of a permission such as `systems:write`, or of one of the operations. */
    reason: {
      'missing-permission': (asked: string) => `it lacks the permission ${asked}`,
      'read-only-key': (asked: string) => `it is read-only, asked for ${asked}`,
      'operation-not-allowed': () => 'no key may do this',
      'rate-limited': () => 'too many requests',
      'address-not-allowed': () => 'this address is not allowed',
      revoked: () => 'it was revoked',
      expired: () => 'it had expired',
      paused: () => 'it was paused',
      'owner-suspended': () => 'the account was stopped',
      'owner-deleted': () => 'the account was stopped',
    } satisfies Record<Exclude<DenialReason, 'invalid-key'>, (asked: string) => string> as Readonly<
      Record<string, (asked: string) => string>
    >,
    has: (permissions: string) => `this key has ${permissions}`,
    other: 'not allowed',
  },
};
