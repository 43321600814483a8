/** A value that the server wrote into the page; empty if it has none. */
export function written(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="latchkey-${name}"]`)?.content ?? '';
}

/** An address that the server wrote into the page. */
export function writtenUrl(name: string): string | undefined {
  const address = written(name);
  return URL.canParse(address) ? address : undefined;
}
