/** The result of a sign-in at the platform, which the service writes after the # of the address. */
const [outcome, detail] = location.hash.slice(1).split('=', 2);

/** The sign-in was refused for this reason. */
export const refusal = outcome === 'refused' ? detail : undefined;
/** A person has signed in. */
export const hasSignedIn = outcome === 'signed-in';
/** Another person than the one who left has signed in. */
export const isAnother = hasSignedIn && detail === 'another';
/** Why the sign-in does not confirm who the person is; undefined if it does. */
export const weakness = hasSignedIn && (detail === 'too_old' || detail === 'too_weak') ? detail : undefined;

/** Whether a notice above says what happened, with its own link to help. */
export const hasNotice = refusal !== undefined || isAnother;

// A reload must not show the result again.
if (hasSignedIn || refusal !== undefined) history.replaceState(null, '', location.pathname);
