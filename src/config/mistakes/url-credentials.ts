/** `user:pa` and then what ends the host of a URL, or `%` and no hex, before an `@`: the password is cut in two. */
const CUT = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#@]*[/?#].*@/i;

/** Whether user or password hold characters that a URL takes for something else. */
export function credentialsNeedEncoding(url: string): boolean {
  if (!URL.canParse(url)) return CUT.test(url);
  const { username, password, pathname, hash } = new URL(url);
  // `user:12#3@host` reads as host, port and the rest. A query may hold an @.
  if (username === '') return CUT.test(url) && `${pathname}${hash}`.includes('@');
  try {
    decodeURIComponent(username + password);
    return false;
  } catch {
    return true;
  }
}
