/** Key strings need no quoting, but the host's address may. */
export function curlLine(fullKey: string, url: string): string {
  return `curl -H "Authorization: Bearer ${fullKey}" '${url.replaceAll("'", '%27')}'`;
}
