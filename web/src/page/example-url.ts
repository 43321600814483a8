/** What a key is for here, as far as the service knows: the server writes it into the page. */
const written = document.querySelector<HTMLMetaElement>('meta[name="latchkey-example-url"]')?.content;

export const exampleUrl = written !== undefined && URL.canParse(written) ? written : undefined;
