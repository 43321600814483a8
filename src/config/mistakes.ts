/** A URL whose password contains a character that ends the host of a URL. */
const CUT = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#@]*[/?#].*@/i;

/** Whether the user or the password contains characters with a meaning in URLs, which must be percent-encoded. */
export function credentialsNeedEncoding(url: string): boolean {
  if (!URL.canParse(url)) return CUT.test(url);
  const { username, password, pathname, search, hash } = new URL(url);
  // `user:12#3@host` parses as host, port and the rest. A query may contain an @.
  if (username === '') return CUT.test(url) && `${pathname}${hash}`.includes('@');
  // `user:a@b/c@host` parses as the host `b`, which logs would show. In a query the @ is part of a value.
  if (`${pathname}${hash}`.includes('@') || /^\?[^=]*@/.test(search)) return true;
  try {
    decodeURIComponent(username + password);
    return false;
  } catch {
    return true;
  }
}

/** Whether two texts differ by one inserted, removed or replaced letter, by two swapped letters, or only by case. */
export function isOneTypoApart(text: string, meant: string): boolean {
  const [short, long] = [text.toUpperCase(), meant].sort((a, b) => a.length - b.length) as [string, string];
  if (short === long) return text !== meant;
  if (long.length - short.length > 1) return false;
  const at = [...long].findIndex((letter, index) => letter !== short[index]);
  const [shortRest, longRest] = [short.slice(at), long.slice(at)];
  if (short.length < long.length) return shortRest === longRest.slice(1);
  const isSwapped = shortRest[0] === longRest[1] && shortRest[1] === longRest[0];
  return shortRest.slice(1) === longRest.slice(1) || (isSwapped && shortRest.slice(2) === longRest.slice(2));
}
