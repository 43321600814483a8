import { accounts } from './accounts';
import { activity } from './activity';
import { attention } from './attention';
import { create } from './create';
import { details } from './details';
import { history } from './history';
import { keys } from './keys';
import { restrictions } from './restrictions';
import { reveal } from './reveal';
import { pause, revoke } from './revoke';
import { rotate } from './rotate';
import { session } from './session';

/** Every word of the panel. A translation is another object of this type. */
export const english = {
  /** By BCP 47: how dates, times and durations are written, and how screen readers pronounce the panel. */
  language: 'en',
  panelTitle: 'API keys',
  tabs: { label: 'Sections', keys: 'Keys', activity: 'Activity' },
  close: 'Close',
  cancel: 'Cancel',
  done: 'Done',
  help: 'Get help',
  newTab: '(opens in a new tab)',
  tryAgain: 'Try again',
  showMore: 'Show more',
  loading: 'Loading…',
  showPassword: 'Show password',
  never: 'never',
  justNow: 'just now',
  failure: {
    offline: 'You’re offline. Check your connection, then try again.',
    noAnswer: 'The service can’t be reached. Try again in a moment.',
    unavailable: 'The service isn’t available right now. Try again in a moment.',
    signedOut: 'Your session has ended. Sign in again to continue.',
    anotherPerson: 'Somebody else is signed in now, so nothing was changed.',
    noAccount: 'You’re signed in, but you don’t have an account here yet.',
    notManaged: 'You don’t manage this service account any more, so nothing was changed.',
    notActive: 'This service account is suspended or deleted, so no key was made.',
    ended: 'This key has already ended. If you still need one, create a new key.',
    /** The detail is the service's own, in English. */
    unexpected: (detail: string) => `Something went wrong: ${detail}`,
    wait: (duration: string) => `Too many attempts. Try again in ${duration}.`,
  },
  noAccount: {
    title: 'You don’t have an account here yet',
    text: 'You’re signed in, but you can’t create API keys until someone gives you access. Ask the people who run this platform.',
  },
  keys,
  attention,
  details,
  history,
  create,
  restrictions,
  reveal,
  pause,
  revoke,
  rotate,
  activity,
  accounts,
  session,
};

export type Texts = typeof english;
