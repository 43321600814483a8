/** What the server writes into the page; empty where it has nothing to write. */
export function written(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="latchkey-${name}"]`)?.content ?? '';
}

/** An address that the server knows. */
export function writtenUrl(name: string): string | undefined {
  const address = written(name);
  return URL.canParse(address) ? address : undefined;
}
