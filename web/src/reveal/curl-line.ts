/** Key strings need no quoting; an address that the host gave might. */
export function curlLine(fullKey: string, url: string): string {
  return `curl -H "Authorization: Bearer ${fullKey}" '${url.replaceAll("'", '%27')}'`;
}
