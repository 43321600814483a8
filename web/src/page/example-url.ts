/** An address that takes keys, for the example curl line. The server writes it into the page if it knows one. */
const written = document.querySelector<HTMLMetaElement>('meta[name="latchkey-example-url"]')?.content;

export const exampleUrl = written !== undefined && URL.canParse(written) ? written : undefined;
