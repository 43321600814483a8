/** The texts of "All keys" and "Audit", which only administrators load. */
export const admin = {
  intro:
    'The keys of all owners. You can pause and end them, but not change them. Owners see that an administrator viewed their keys.',
  search: 'Search all keys',
  owner: 'Owner',
  ownerHint: 'Email or ID',
  noOwner: 'No account with this email or ID',
  noOwnerOrKey:
    'No account with this email or ID. Enter a whole email, an account’s ID, or the beginning of a key, such as lk_4f9a.',
  alsoMade: (name: string, count: number | undefined) => {
    if (count === undefined) return `${name} may also have made keys of service accounts.`;
    return count === 1
      ? `${name} also made 1 active key of a service account.`
      : `${name} also made ${count} active keys of service accounts.`;
  },
  which: 'Which account do you mean?',
  find: 'Owner or key prefix',
  findHint: 'Owner’s email or ID, or key prefix',
  filter: 'Filter',
  remove: (filter: string) => `Remove filter: ${filter}`,
  prefix: 'Prefix',
  show: 'Show',
  all: 'All',
  only: { unused: 'Unused for 90 days', paused: 'Paused', narrower: 'Could be narrower' },
  /** The label of the button that starts the search in a field. */
  start: (field: string) => `Search: ${field}`,
  expires: {
    all: 'Expiry',
    from: 'Expires from',
    until: 'Expires until',
    soon: (days: number) => `Expires within ${days} days`,
  },
  counts: {
    shown: (count: number) => `${count} shown`,
    active: (count: number) => `${count} active`,
    soon: (count: number) => `${count} expiring within 7 days`,
    unused: (count: number) => `${count} unused for 90 days`,
  },
  table: 'Keys of all owners',
  end: 'Ends',
  service: 'Service account',
  accountStatus: { suspended: 'Suspended', deleted: 'Deleted' },
  none: 'No key fits.',
  nonePrefixed: 'No key fits. To find a person’s keys, enter their whole email or ID.',
  empty: 'Nobody has made a key yet.',
  clear: 'Clear search and filters',
  failed: 'The keys could not be loaded',
  accountsFailed: 'The accounts could not be searched',
  lost: {
    title: 'You can’t see all keys any more',
    text: 'Your account no longer has the permission for it. Your own keys are under “Keys”.',
  },
  showOwner: 'Show all keys of this owner',
  showEvents: 'Show all events of this key',
  audit: {
    intro:
      'Who did and viewed what, in all accounts. Newest first. Owners see that an administrator viewed their events.',
    search: 'Search the audit trail',
    find: 'Who did it, or ID of a key',
    actor: 'Who did it',
    account: 'Account affected',
    key: 'Key',
    type: 'Type',
    anyType: 'All types',
    days: { all: 'Days', from: 'From', until: 'Until' },
    /** What an administrator searched by. */
    viewed: { accounts: 'Found', sort: 'Sorted by', lastUsedBefore: 'Last used before' },
    furtherPage: 'Further page',
    table: 'Audit trail',
    what: 'Event',
    by: 'By',
    when: 'When',
    shown: (count: number) => (count === 1 ? '1 event shown' : `${count} events shown`),
    none: 'No event fits.',
    failed: 'The audit trail could not be loaded',
    types: {
      'admin.viewed': 'Viewed by an administrator',
      'api_key.created': 'Key created',
      'api_key.renamed': 'Key renamed',
      'api_key.rotated': 'Rotation started',
      'api_key.first_used': 'First use of a new key',
      'api_key.paused': 'Key paused',
      'api_key.resumed': 'Pause ended',
      'api_key.revoked': 'Key revoked',
      'api_key.expired': 'Key expired',
      'authentication.failed': 'Request or password rejected',
      'session.opened': 'Signed in',
      'session.refused': 'Sign-in rejected',
      'account.created': 'Account created',
      'account.changed': 'Account changed',
      'account.suspended': 'Account suspended',
      'account.reactivated': 'Account reactivated',
      'account.deleted': 'Account deleted',
      'account.purged': 'Account purged',
    },
  },
  otherKey: 'Open that key',
  revoke: 'Revoke key…',
  belongsTo: (name: string) => `It belongs to ${name}.`,
  note: 'Note (optional)',
  noteHint: 'Why you revoke it. It is kept on the audit trail.',
  already: (name: string) => `“${name}” had already ended`,
  stillPaused: (name: string) => `“${name}” stays paused by its owner`,
  several: {
    column: 'Select',
    all: 'Select all',
    select: (name: string) => `Select “${name}”`,
    chosen: (count: number) => (count === 1 ? '1 key selected' : `${count} keys selected`),
    clear: 'Clear selection',
    pause: 'Pause for an hour',
    paused: (done: number, of: number) => {
      const are = done === 1 ? 'is' : 'are';
      if (done < of) return `${done} of ${of} keys ${are} paused.`;
      return `${done} ${done === 1 ? 'key' : 'keys'} ${are} paused`;
    },
    revoke: (count: number) => (count === 1 ? 'Revoke 1 key' : `Revoke ${count} keys`),
    consequence: 'Everything that uses these keys stops working at once. You can’t undo this.',
    list: 'Keys to revoke',
    already: 'Had already ended',
    failed: (why: string) => `Not revoked: ${why}`,
    over: (done: number, of: number) => `${done} of ${of} have ended`,
  },
  /** These replace the texts of the panel that speak to the owner. */
  others: {
    details: {
      ended: {
        owner: (relative: string) => `Its owner revoked this key ${relative}.`,
        platform: (relative: string) => `The platform revoked this key ${relative}.`,
      },
      unknown: 'There is no key with this ID.',
    },
    activity: {
      revokedKey: { platform: (name: string) => `Key ${name} was revoked by the platform` },
      rejected: {
        'incorrect-password': 'Wrong password',
        'invalid-token': 'Sign-in from the platform rejected: invalid token',
      },
      rejectedKey: {
        'owner-suspended': (name: string) => `${name} rejected: its owner’s account was suspended`,
        'owner-deleted': (name: string) => `${name} rejected: its owner’s account was deleted`,
      },
    },
    restrictions: {
      all: {
        'read-only': 'Everything its owner may read',
        'read-and-write': 'Everything its owner may read and write',
      },
    },
  },
};

export type AdminTexts = typeof admin;
