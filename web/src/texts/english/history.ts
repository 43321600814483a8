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
  rejected:
    'The last rejected request of each address is below, with its reason. Of these, the activity lists those with a stopped key, or from an address that is not allowed.',
  rejectedUnknown:
    'No reason is kept for requests without a known address, or from one that is not among the last five. Of these, the activity lists those with a stopped key, or from an address that is not allowed.',
  noAddress: 'No request from a known address yet.',
  isNew: 'New',
  lastSeen: (relative: string) => `last seen ${relative}`,
  since: (date: string) => `since ${date}`,
  via: (service: string) => `via ${service}`,
  viaProxy: 'via a proxy',
  lastDenied: (relative: string) => `rejected ${relative}:`,
  denied: {
    operation: { read: 'to read', write: 'to write', destroy: 'to delete' } as Readonly<Record<string, string>>,
    /** Of a permission such as `systems:write`, or of one of the operations. */
    reason: {
      'missing-permission': (asked: string) => `this key lacks the permission ${asked}`,
      'read-only-key': (asked: string) => `this key is read-only, and the request needed ${asked}`,
      'operation-not-allowed': () => 'no key may do this',
      'rate-limited': () => 'too many requests',
      'address-not-allowed': () => 'this address is not allowed',
      revoked: () => 'the key had been revoked',
      expired: () => 'the key had expired',
      'owner-suspended': () => 'the account was suspended',
      'owner-deleted': () => 'the account was deleted',
    } as Readonly<Record<string, (asked: string) => string>>,
    other: 'the service does not allow it',
  },
};
