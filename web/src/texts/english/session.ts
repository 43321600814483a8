export const session = {
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  emailRequired: 'Enter your email',
  wrong: 'Incorrect email or password',
  platform: {
    submit: 'Sign in with your account',
  },
  again: {
    title: 'Sign in again',
    text: 'Your session has ended. Sign in to continue. Nothing you typed is lost.',
  },
  /** Back from a sign-in that was to confirm who the person is. */
  stepUp: {
    confirmed: (button: string) => `Confirmed. Press ${button}.`,
    too_old: 'That sign-in was too long ago. Sign in again now.',
    too_weak:
      'That sign-in was not strong enough: use your second factor, such as a security key or a code from your phone.',
  },
};
