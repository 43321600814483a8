export const create = {
  /** What the key may do. Each word opens the fields that it stands for. */
  sentence: {
    start: 'It may',
    all: { 'read-only': 'read everything you can', 'read-and-write': 'read and write everything you can' },
    /** Where there is no room for the permissions. */
    only: (count: number) =>
      count === 0 ? 'do what you choose below' : count === 1 ? 'use 1 permission' : `use ${count} permissions`,
    lasting: (days: string) => `for ${days}`,
    noDay: 'until a day that you choose',
    from: (networks: number) =>
      networks === 0 ? 'from anywhere' : networks === 1 ? 'from 1 network' : `from ${networks} networks`,
    /** The name of a word for screen readers. */
    change: (field: string, word: string) => `${field}: ${word}, change`,
    withoutNote: 'Add a note',
    withNote: 'Change the note',
  },
  title: 'Create API key',
  titleAgain: 'Create again',
  name: 'Name',
  nameHint: 'For example “CI deploy” or “Backup script”',
  nameTaken: (name: string, prefix: string) => `You already have an active key named “${name}” (${prefix}).`,
  note: 'Note (optional)',
  noteHint: 'What is it for?',
  access: 'Access',
  never: 'Keys can never delete permanently, manage keys, change account settings or act as someone else.',
  expiry: 'Expires in',
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  custom: 'Custom',
  date: 'Expiration date',
  range: (first: string, last: string) => `Choose a date from ${first} to ${last}.`,
  expiresOn: (date: string) => `Expires on ${date}.`,
  expiresOnIn: (date: string, days: string) => `Expires on ${date}, in ${days}.`,
  mailed: (days: string) => `We’ll email you ${days} days before.`,
  mailedOneDay: 'We’ll email you the day before.',
  password: 'Your password',
  passwordHint: 'To confirm that it’s you',
  confirmation: {
    hint: 'You may have to sign in again, to confirm that it’s you.',
    title: 'Sign in again to confirm that it’s you',
    text: 'You’ll come back to this form, with everything you typed.',
    again:
      'Your sign-in was not enough: too long ago, or not strong enough, or your platform did not say. If this continues, ask the people who run it.',
    submit: 'Sign in to confirm',
  },
  confirming: 'Waiting for you to sign in again…',
  submit: 'Create key',
  retrying: 'Still trying. Nothing happens twice.',
  required: {
    name: 'Give the key a name',
    length: (most: number) => `Use at most ${most} characters`,
    date: 'Choose a day from tomorrow to a year from now',
    password: 'Enter your password',
  },
  /** The message is the service's own, in English. */
  field: (message: string) => `This ${message}`,
  wrongPassword: 'Incorrect password',
  tooManyChanges: (duration: string) => `You created too many keys within an hour. Try again in ${duration}.`,
  notSignedIn: 'You didn’t sign in again, so nothing was changed. Try again when you’re ready.',
  notFresh: 'Your sign-in is not recent or strong enough, so nothing was changed. Sign in again, then try once more.',
  somebodyElse: 'Somebody else signed in, so nothing was changed. These are their keys.',
  unanswered: 'Nothing you typed is lost. Try again: nothing happens twice.',
  /** A key was created, and the answer with it was lost. Each form has its own advice. */
  lost: {
    title: 'The new key was created, but we couldn’t show it to you',
    text: (name: string) =>
      `The answer with “${name}” was lost on the way. A key is shown only once, so nobody can use this one.`,
    advice: 'Revoke it and create a new one with the same choices.',
    again: 'Revoke it and create it again',
    keep: 'Close without a key',
    working: 'Revoking it, then trying again…',
  },
};
