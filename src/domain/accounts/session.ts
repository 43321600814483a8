/** How long a sign-in lasts, unless something ends it sooner. */
export const SESSION_HOURS = 12;
