import { MAX_EXPIRY_DAYS } from '../../rules';

export const create = {
  title: 'Create API key',
  titleAgain: 'Create again',
  name: 'Name',
  nameHint: 'What will use it? For example “CI deploy” or “Backup script”.',
  nameTaken: (name: string, prefix: string) =>
    `You already have an active key named “${name}” (${prefix}). Another name tells them apart.`,
  access: 'Access',
  accessText: {
    'read-only': 'Sees what you can see. Changes nothing.',
    'read-and-write': 'Sees what you can see, and creates and changes it as you can.',
  },
  never:
    'No key can ever delete permanently, manage API keys, change account settings or impersonate someone, whatever its access.',
  expiry: 'Expires in',
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  ownDays: 'Other',
  ownDaysLabel: `Number of days (1 to ${MAX_EXPIRY_DAYS})`,
  expiresOn: (date: string) => `Stops working on ${date}.`,
  password: 'Your password',
  passwordHint: 'Confirms that it is you.',
  confirmation: {
    hint: 'You may be asked to sign in again, to confirm that it is you.',
    title: 'Sign in again to confirm that it is you',
    text: 'You come back to this form, with everything you typed.',
    again:
      'Your sign-in was not enough: too long ago, or not strong enough, or your platform did not say. If this continues, ask the people who run it.',
    submit: 'Sign in to confirm',
  },
  confirming: 'Waiting for you to sign in again…',
  submit: 'Create key',
  creating: 'Creating…',
  retrying: 'No answer yet. Trying again, and never creating a second key…',
  required: {
    name: 'Give the key a name',
    nameLength: (most: number) => `At most ${most} characters`,
    days: `A whole number from 1 to ${MAX_EXPIRY_DAYS}`,
    password: 'Enter your password',
  },
  /** The message is the service's own, in English. */
  field: (message: string) => `This ${message}`,
  wrongPassword: 'Incorrect password',
  limit: 'You have reached the maximum number of API keys. Revoke one, then try again: what you typed stays here.',
  tooManyChanges: (duration: string) =>
    `You made too many API keys within an hour, so no key was created. Try again in ${duration}: what you typed stays here.`,
  notSignedIn:
    'You did not sign in again, so no key was created. What you typed stays here: try again when you are ready.',
  notFresh:
    'Your sign-in is not recent enough, or not strong enough, so no key was created. Sign in again, then try once more: what you typed stays here.',
  somebodyElse: 'Somebody else signed in, so no key was created. These are their keys.',
  unanswered: 'Nothing you typed is lost, and trying again never creates a second key.',
  lost: {
    title: 'The key exists, but its secret is gone',
    text: (name: string) =>
      `“${name}” was created, but the answer that carried its secret got lost on the way. A secret is shown only once, so nobody can use this key.`,
    advice: 'Revoke it and create a new one with the same settings.',
    again: 'Revoke it and create it again',
    keep: 'Close and leave it',
    working: 'Revoking, then creating again…',
  },
};
