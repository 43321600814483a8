/** The texts of the page around the panel. */
export const words = {
  product: 'Latchkey',
  scheme: { toLight: 'Switch to light colours', toDark: 'Switch to dark colours' },
  title: 'Sign in to Latchkey',
  text: 'to manage your API keys',
  signOut: 'Sign out',
  or: 'or',
  elsewhere: {
    title: 'Your keys are in your platform’s settings',
    text: 'API keys are managed there: sign in to your platform, and look for them in its settings.',
  },
  another: {
    title: 'Another account is signed in now',
    text: 'The account that came back from the sign-in is not the one that left for it. What was typed before is gone.',
  },
  refused: {
    no_account: {
      title: 'You have no account here',
      text: 'You are signed in at your platform, but nobody has given you access to API keys yet. Ask the people who run it.',
    },
    suspended: {
      title: 'Your account is suspended',
      text: 'Its keys have stopped working too. Ask the people who run your platform.',
    },
    deleted: {
      title: 'Your account was deleted',
      text: 'Its keys have stopped working too. Ask the people who run your platform.',
    },
    expired: {
      title: 'This sign-in is over',
      text: 'It took more than ten minutes, was finished already, or began in another browser. Begin again.',
    },
    failed: {
      title: 'You were not signed in',
      text: 'Your platform did not confirm who you are, or you cancelled. Try again.',
    },
    too_many: {
      title: 'Too many people are signing in',
      text: 'Too many sign-ins come from your network, or from everywhere. Wait a minute, and try again.',
    },
    unavailable: {
      title: 'Your platform’s sign-in cannot be reached',
      text: 'Try again in a moment.',
    },
  },
};
