import { written, writtenUrl } from './written';

/** How people sign in here. */
export const takesPasswords = written('password-sign-in') !== 'off';

/** Where a sign-in at the platform begins. */
export const platformSignIn = writtenUrl('platform-sign-in');

/** Where the platform asks which account to use, instead of taking the one that is signed in there. */
export const otherAccount = platformSignIn && `${platformSignIn}?prompt=select_account`;

const SIGNED_OUT = 'latchkey-signed-out';

/** Until the next sign-in, people who have signed out are not signed in without a question. */
export const rememberSignOut = (): void => sessionStorage.setItem(SIGNED_OUT, '1');
export const forgetSignOut = (): void => sessionStorage.removeItem(SIGNED_OUT);
export const hasSignedOut = (): boolean => sessionStorage.getItem(SIGNED_OUT) !== null;
