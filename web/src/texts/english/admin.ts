import type { AccessLevel } from '../../api/types';

/** The texts of "All keys", which only administrators load. */
export const admin = {
  intro:
    'The keys of all owners. You can end them, but not create or change them. Each view is recorded: owners see that an administrator viewed their keys.',
  search: 'Search all keys',
  owner: 'Owner',
  ownerHint: 'Email or ID',
  noOwner: 'No account with this email or ID',
  which: 'Which account do you mean?',
  clearOwner: 'Show the keys of all owners',
  prefix: 'Key prefix',
  prefixHint: 'Paste a key: only its beginning is used',
  status: 'Status',
  anyStatus: 'All',
  unused: 'Unused for 90 days',
  /** Of the button of a field. */
  start: (field: string) => `Search: ${field}`,
  apply: 'Apply',
  expires: {
    all: 'Expiry',
    from: 'Expires from',
    until: 'Expires until',
    thisMonth: 'This month',
    soon: (days: number) => `Within ${days} days`,
    any: 'Any expiry',
  },
  table: 'Keys of all owners',
  service: 'Service account',
  accountStatus: { active: 'Active', suspended: 'Suspended', deleted: 'Deleted' },
  none: 'No key fits.',
  empty: 'Nobody has made a key yet.',
  clear: 'Clear search and filters',
  failed: 'The keys could not be loaded',
  accountsFailed: 'The accounts could not be searched',
  lost: {
    title: 'You can’t see all keys any more',
    text: 'Your account no longer has the permission for it. Your own keys are under “Keys”.',
  },
  showOwner: 'Show all keys of this owner',
  otherKey: 'Open that key',
  revoke: 'Revoke key…',
  belongsTo: (name: string) => `It belongs to ${name}.`,
  note: 'Note (optional)',
  noteHint: 'Why you revoke it. It is kept on the audit trail.',
  done: (name: string) => `“${name}” was revoked`,
  already: (name: string) => `“${name}” had already ended`,
  /** Where the panel speaks to the owner. */
  others: {
    revokedBy: {
      owner: 'Revoked by its owner',
      platform: 'Revoked by the platform',
      purged: 'Revoked by the platform',
    },
    ended: {
      owner: (relative: string) => `Its owner revoked this key ${relative}.`,
      platform: (relative: string) => `The platform revoked this key ${relative}.`,
    },
    revokedKey: { platform: (name: string) => `Key ${name} was revoked by the platform` },
    rejectedKey: {
      'owner-suspended': (name: string) => `${name} rejected: its owner’s account was suspended`,
      'owner-deleted': (name: string) => `${name} rejected: its owner’s account was deleted`,
    },
    unknown: 'There is no key with this ID.',
    all: {
      'read-only': 'Everything its owner may read',
      'read-and-write': 'Everything its owner may read and write',
    } satisfies Record<AccessLevel, string>,
    alreadyEnded: 'This key has already ended.',
    create: {
      retrying: 'Still trying…',
      notSignedIn: 'You didn’t sign in again, so the key was not revoked. Try again when you’re ready.',
      notFresh:
        'Your sign-in is not recent or strong enough, so the key was not revoked. Sign in again, then try once more.',
      unanswered: 'The key may have been revoked. Try again: nothing happens twice.',
    },
  },
};
