/** Key strings need no quoting; the host's address might. */
export function curlLine(fullKey: string, url: string): string {
  return `curl -H "Authorization: Bearer ${fullKey}" '${url.replaceAll("'", '%27')}'`;
}
