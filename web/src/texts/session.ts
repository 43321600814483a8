export const session = {
  title: 'Sign in to Latchkey',
  text: 'to manage your API keys',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  signOut: 'Sign out',
  signedInAs: (name: string) => `Signed in as ${name}`,
  required: { email: 'Enter your e-mail', password: 'Enter your password' },
  wrong: 'Incorrect e-mail or password',
  platform: {
    submit: 'Sign in with your account',
    or: 'or',
    elsewhere: {
      title: 'Your keys are in your platform’s settings',
      text: 'API keys are managed there: sign in to your platform, and look for them in its settings.',
    },
    again: 'Your session has ended. Sign in with your account and you come back to what you typed.',
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
      unavailable: {
        title: 'Your platform’s sign-in cannot be reached',
        text: 'Try again in a moment.',
      },
    },
  },
  again: {
    title: 'Sign in again',
    text: 'Your session has ended. Sign in and you go on where you were: nothing you typed is lost.',
  },
} as const;
