/** The texts of the page around the panel. They are not part of the panel's package. */
export const page = {
  documentTitle: 'API keys · Latchkey',
  product: 'Latchkey',
  scheme: { toLight: 'Switch to light colours', toDark: 'Switch to dark colours' },
  title: 'Sign in to Latchkey',
  text: 'to manage your API keys',
  signOut: 'Sign out',
  /** The tabs of administrators. */
  allKeys: 'All keys',
  audit: 'Audit',
  or: 'or',
  otherAccount: 'Use another account',
  elsewhere: {
    title: 'Your API keys are in your platform’s settings',
    text: 'Sign in to your platform and look for API keys in its settings.',
  },
  another: {
    title: 'You’re signed in with another account now',
    text: 'This page was opened for another one, so nothing was changed.',
  },
  refused: {
    no_account: {
      title: 'You don’t have an account here',
      text: 'You’re signed in to your platform, but nobody has given you access to API keys yet. Ask the people who run it.',
    },
    service_account: {
      title: 'This is a service account',
      text: 'Service accounts can’t sign in. Sign in as yourself: if you manage it, you’ll find its keys next to yours.',
    },
    suspended: {
      title: 'Your account is suspended',
      text: 'Its API keys have stopped working, too. Ask the people who run your platform.',
    },
    deleted: {
      title: 'Your account was deleted',
      text: 'Its API keys have stopped working, too. Ask the people who run your platform.',
    },
    expired: {
      title: 'This sign-in has expired',
      text: 'It took more than ten minutes, was already completed, or started in another browser. Try again.',
    },
    cancelled: {
      title: 'You cancelled the sign-in',
      text: 'You can try again at any time.',
    },
    misconfigured: {
      title: 'Sign-in is misconfigured',
      text: 'Nobody can sign in until the people who run this service fix it.',
    },
    failed: {
      title: 'You weren’t signed in',
      text: 'Your platform didn’t confirm who you are. Try again.',
    },
    too_many: {
      title: 'Too many sign-ins right now',
      text: 'Wait a minute, then try again.',
    },
    unavailable: {
      title: 'Your platform’s sign-in can’t be reached',
      text: 'Try again in a moment.',
    },
  },
};

export type PageTexts = typeof page;
