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
  again: {
    title: 'Sign in again',
    text: 'Your session has ended. Sign in and you go on where you were: nothing you typed is lost.',
  },
} as const;
