import { rejections } from '../denials.js';

/** The sentences of the activity; those about a key take its name. */
export const activity = {
  listLabel: 'Activity',
  intro: 'Changes to your keys, rejected requests and wrong passwords. Newest first.',
  filterLabel: 'Type of activity',
  filter: { all: 'All', keys: 'Changes', failures: 'Rejected' },
  keyFilterLabel: 'Key',
  allKeys: 'All keys',
  activeKeys: 'Active',
  endedKeys: 'Ended',
  keyOption: (name: string, prefix: string) => `${name} · ${prefix}`,
  empty: {
    all: 'No activity yet. Once you create a key, you’ll see here what happens to it.',
    keys: 'No changes to keys yet.',
    failures: 'No rejected requests yet. Those with an active key are in its details.',
  },
  emptyOfKey: 'No activity of this type for this key.',
  failed: 'Activity could not be loaded',
  staleFailed: 'Activity could not be refreshed',
  times: (count: string) => `${count} times`,
  since: (relative: string) => `first ${relative}`,
  unknownName: 'unknown key',
  automatic: 'Automatic',
  /** Who did it. */
  you: 'You',
  event: {
    'api_key.created': (name: string) => `Key ${name} was created`,
    'api_key.paused': (name: string) => `Key ${name} was paused`,
    'api_key.resumed': (name: string) => `The pause of key ${name} was ended`,
    'api_key.rotated': (name: string) => `Rotation of key ${name} was started`,
    'api_key.first_used': (name: string) => `Key ${name} was used for the first time`,
    'api_key.revoked': (name: string) => `Key ${name} was revoked`,
    'api_key.expired': (name: string) => `Key ${name} expired`,
    /** Without a new name, only the note changed. */
    'api_key.renamed': (name: string) => `The note of key ${name} was changed`,
    'admin.viewed': (name: string) => `Key ${name} was viewed by an administrator`,
  },
  /** Events of the account itself. */
  ofAccount: {
    'session.refused': 'Sign-in rejected: service accounts can’t sign in',
    'admin.viewed': 'Viewed by an administrator',
  },
  renamedFrom: (previous: string, name: string) => `Key ${name} was renamed (before: ${previous})`,
  other: 'Other activity',
  otherOfKey: (name: string) => `Other activity of key ${name}`,
  revokedKey: {
    administrator: (name: string) => `Key ${name} was revoked by an administrator`,
    platform: (name: string) => `Key ${name} was revoked by your platform`,
    rotated: (name: string) => `Key ${name} was revoked: a new key replaced it`,
    leaked: (name: string) => `Key ${name} was revoked because it leaked`,
    idle: (name: string) => `Key ${name} was revoked because nobody used it`,
  },
  rejectedKey: {
    ...rejections('english'),
    'unproven-report': (name: string) =>
      `A report that key ${name} leaked was ignored: it did not contain the whole key`,
  },
  rejected: {
    'invalid-key': 'Unknown key rejected',
    'incorrect-password': 'Wrong password for your account',
    'too-many-attempts': 'Password rejected: too many attempts',
    'invalid-token': 'Sign-in from your platform rejected: invalid token',
  },
  otherRejectedKey: (name: string) => `${name} rejected`,
  otherRejected: 'Request rejected',
  foundBy: (source: string) => `Found by ${source}`,
  foundAt: 'Found at:',
};
