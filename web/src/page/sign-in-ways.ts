import { written, writtenUrl } from './written';

/** How people sign in here. */
export const takesPasswords = written('password-sign-in') !== 'off';

/** Where a sign-in at the platform begins. */
export const platformSignIn = writtenUrl('platform-sign-in');
