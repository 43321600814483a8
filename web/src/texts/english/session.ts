export const session = {
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  required: { email: 'Enter your e-mail', password: 'Enter your password' },
  wrong: 'Incorrect e-mail or password',
  platform: {
    submit: 'Sign in with your account',
    again: 'Your session has ended. Sign in with your account and you come back to what you typed.',
  },
  again: {
    title: 'Sign in again',
    text: 'Your session has ended. Sign in and you go on where you were: nothing you typed is lost.',
  },
};
