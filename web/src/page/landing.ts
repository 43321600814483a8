/** What came of a sign-in at the platform, which the service writes behind the # of the address. */
const [outcome, detail] = location.hash.slice(1).split('=', 2);
const isLanding = outcome === 'signed-in' || outcome === 'refused';

/** Why nobody was signed in. */
export const refusal = outcome === 'refused' ? detail : undefined;
/** The person who left is back. */
export const hasSignedIn = outcome === 'signed-in';
/** Somebody else signed in than the person who left. */
export const isAnother = outcome === 'signed-in' && detail === 'another';

// A reload is another visit.
if (isLanding) history.replaceState(null, '', location.pathname);
