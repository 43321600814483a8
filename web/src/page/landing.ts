/** The result of a sign-in at the platform, which the service writes after the # of the address. */
const [outcome, detail] = location.hash.slice(1).split('=', 2);
const isLanding = outcome === 'signed-in' || outcome === 'refused';

/** The sign-in was refused for this reason. */
export const refusal = outcome === 'refused' ? detail : undefined;
/** A person has signed in. */
export const hasSignedIn = outcome === 'signed-in';
/** Another person than the one who left has signed in. */
export const isAnother = outcome === 'signed-in' && detail === 'another';

// A reload must not show the result again.
if (isLanding) history.replaceState(null, '', location.pathname);
