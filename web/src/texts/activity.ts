/** The sentences of the activity; those about a key take its name. */
export const activity = {
  listLabel: 'Activity',
  intro: 'What happened to your keys and your password, newest first.',
  filterLabel: 'What to show',
  filter: { all: 'All', keys: 'Keys', failures: 'Refused' },
  empty: {
    all: 'Nothing has happened yet. What happens to your keys will be listed here.',
    keys: 'No key was created, revoked or expired yet.',
    failures: 'No request was refused yet.',
  },
  failed: 'The activity could not be loaded',
  staleFailed: 'The activity could not be refreshed',
  times: (count: number) => `×${count}`,
  timesAloud: (count: number) => `${count} times`,
  unknownName: 'unknown key',
  service: 'By the service itself',
  event: {
    'api_key.created': (name: string) => `Key ${name} was created`,
    'api_key.revoked': (name: string) => `Key ${name} was revoked`,
    'api_key.expired': (name: string) => `Key ${name} expired`,
  },
  revokedKey: {
    administrator: (name: string) => `Key ${name} was revoked by an administrator`,
    platform: (name: string) => `Key ${name} was revoked by your platform`,
    leaked: (name: string) => `Key ${name} was revoked because it had leaked`,
  },
  refusedKey: {
    'invalid-key': (name: string) => `A request with key ${name} was refused: wrong secret`,
    revoked: (name: string) => `A request with key ${name} was refused: it is revoked`,
    expired: (name: string) => `A request with key ${name} was refused: it has expired`,
    'owner-suspended': (name: string) => `A request with key ${name} was refused: your account was suspended`,
    'owner-deleted': (name: string) => `A request with key ${name} was refused: your account was closed`,
  },
  refused: {
    'invalid-key': 'A request with an unknown key was refused',
    'incorrect-password': 'A wrong password was entered for your account',
    'too-many-attempts': 'A password was refused unseen: too many attempts',
    'invalid-token': 'A sign-in from your platform was refused: invalid token',
  },
  otherRefused: 'A request was refused',
  otherRefusedKey: (name: string) => `A request with key ${name} was refused`,
} as const;
