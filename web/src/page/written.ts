/** A value that the server wrote into the page; empty if it has none. */
function written(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="latchkey-${name}"]`)?.content ?? '';
}

/** An address that the server wrote into the page. */
function writtenUrl(name: string): string | undefined {
  const address = written(name);
  return URL.canParse(address) ? address : undefined;
}

/** An address that accepts keys, for the examples. */
export const exampleUrl = writtenUrl('example-url');
export const docsUrl = writtenUrl('docs-url');
export const helpUrl = writtenUrl('help-url');
export const takesPasswords = written('password-sign-in') !== 'off';
export const platformSignIn = writtenUrl('platform-sign-in');

/** Where the platform asks which account to use, instead of taking the one that is signed in there. */
export const otherAccount = platformSignIn && `${platformSignIn}?prompt=select_account`;

const SIGNED_OUT = 'latchkey-signed-out';

/** Until the next sign-in, people who have signed out are not signed in without a question. */
export const rememberSignOut = (): void => sessionStorage.setItem(SIGNED_OUT, '1');
export const forgetSignOut = (): void => sessionStorage.removeItem(SIGNED_OUT);
export const hasSignedOut = (): boolean => sessionStorage.getItem(SIGNED_OUT) !== null;

/** The result of a sign-in at the platform, which the service writes after the # of the address. */
const [outcome, detail] = location.hash.slice(1).split('=', 2);

export const refusal = outcome === 'refused' ? detail : undefined;
export const hasSignedIn = outcome === 'signed-in';
/** Another person than the one who left has signed in. */
export const isAnother = hasSignedIn && detail === 'another';
/** Why the sign-in does not confirm who the person is; undefined if it does. */
export const weakness = hasSignedIn && (detail === 'too_old' || detail === 'too_weak') ? detail : undefined;

/** Whether a notice above says what happened, with its own link to help. */
export const hasNotice = refusal !== undefined || isAnother;

// A reload must not show the result again.
if (hasSignedIn || refusal !== undefined) history.replaceState(null, '', location.pathname);
