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

/** Whether one text becomes the other by one letter put in, left out or replaced, by two that change places, or by case. */
export function isOneSlipApart(text: string, meant: string): boolean {
  const [short, long] = [text.toUpperCase(), meant].sort((a, b) => a.length - b.length) as [string, string];
  if (short === long) return text !== meant;
  if (long.length - short.length > 1) return false;
  const at = [...long].findIndex((letter, index) => letter !== short[index]);
  const [shortRest, longRest] = [short.slice(at), long.slice(at)];
  if (short.length < long.length) return shortRest === longRest.slice(1);
  const isSwapped = shortRest[0] === longRest[1] && shortRest[1] === longRest[0];
  return shortRest.slice(1) === longRest.slice(1) || (isSwapped && shortRest.slice(2) === longRest.slice(2));
}
