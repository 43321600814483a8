import type { activity } from './activity';
import type { create } from './create';
import type { details } from './details';
import type { keys } from './keys';
import type { restrictions } from './restrictions';

/** Some of the texts of a file. */
export type Some<T> = T extends (...given: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [Name in keyof T]?: Some<T[Name]> }
    : T;

/** Service accounts, whose keys the person manages. */
export const accounts = {
  /** Before the switch. */
  keysOf: 'Keys of',
  yours: 'Yours',
  /** After "API keys", for screen readers. */
  ofName: (name: string) => `of ${name}`,
  nowOf: (name: string) => `Showing the keys of ${name}`,
  nowYours: 'Showing your keys',
  belongs: (name: string) => `This key belongs to ${name}. It keeps working when you leave.`,
  madeBy: 'Made by',
  madeByYou: 'you',
  stopped: {
    suspended: {
      option: (name: string) => `${name} (suspended)`,
      title: (name: string) => `${name} is suspended`,
      text: 'Its keys do not work, and no new ones can be made. You can revoke them.',
    },
    deleted: {
      option: (name: string) => `${name} (deleted)`,
      title: (name: string) => `${name} was deleted`,
      text: 'Its keys do not work, and no new ones can be made. You can revoke them.',
    },
  },
  lost: {
    title: (name: string) => `You no longer manage ${name}`,
    titleUnknown: 'You don’t manage that service account',
    text: 'Ask the people who run your platform if you should. These are your own keys.',
  },
  /** These replace the texts of the same place. */
  instead: {
    keys: {
      intro:
        'Keys let scripts and tools act for this service account. Each one expires, and its managers can revoke it at any time.',
      revokedBy: { owner: 'Revoked by a manager' },
      empty: {
        text: 'A key lets a script, a CI job or another program call the API as this service account. The key can only read, unless you choose more.',
        create: 'Create its first API key',
      },
      noneWith: { active: 'No active keys. No program can call the API as this service account.' },
      failed: 'The keys could not be loaded',
      staleFailed: 'The keys could not be refreshed',
    } satisfies Some<typeof keys>,
    details: {
      ended: { owner: (relative: string) => `A manager revoked this key ${relative}.` },
      unknown: 'This service account has no key with this ID. It may belong to another account.',
    } satisfies Some<typeof details>,
    create: {
      sentence: {
        all: {
          'read-only': 'read everything the service account can',
          'read-and-write': 'read and write everything the service account can',
        },
      },
      nameTaken: (name: string, prefix: string) =>
        `There is already an active key named “${name}” (${prefix}). Another name makes it easier to tell them apart.`,
    } satisfies Some<typeof create>,
    restrictions: {
      allText: 'Changes whenever the permissions of the service account change.',
      none: 'The service account has no permissions that a key with this access can use.',
      lost: (list: string) => `Left out, because the service account can’t give it: ${list}.`,
      all: {
        'read-only': 'Everything the service account may read',
        'read-and-write': 'Everything the service account may read and write',
      },
    } satisfies Some<typeof restrictions>,
    activity: {
      intro: 'Changes to the keys of this service account, rejected requests and rejected sign-ins. Newest first.',
      empty: { all: 'No activity yet. Once it has a key, you’ll see here what happens to it.' },
      rejectedKey: {
        'owner-suspended': (name: string) => `${name} rejected: the service account was suspended`,
        'owner-deleted': (name: string) => `${name} rejected: the service account was deleted`,
      },
    } satisfies Some<typeof activity>,
  },
};
