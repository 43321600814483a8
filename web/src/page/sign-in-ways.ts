/** How people sign in here. The server writes it into the page. */
const written = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const takesPasswords = written('latchkey-password-sign-in') !== 'off';

const address = written('latchkey-platform-sign-in');
/** Where a sign-in at the platform begins. */
export const platformSignIn = URL.canParse(address) ? address : undefined;
