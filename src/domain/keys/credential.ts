/** Where a request may carry its key: `Authorization: Bearer`, `X-API-Key`, or as the password of `Authorization: Basic`. */
export const CREDENTIAL_FORMS = ['bearer', 'x-api-key', 'basic'] as const;
export type CredentialForm = (typeof CREDENTIAL_FORMS)[number];

/** As `ValidateKey` takes it. An empty `authorization` is an invalid key. */
export type Credential = { readonly apiKey: string } | { readonly authorization: string };

/** What decides about the credential of a request. */
export interface RequestHeaders {
  /** Every value of a header, in the order of arrival. @param name in lower case */
  values(name: string): readonly string[];
  /** The host that the client called, with its port. Undefined: unknown */
  host(): string | undefined;
}

export interface Presented {
  readonly credential: Credential;
  /** The value of `WWW-Authenticate`, if the answer is 401. */
  readonly challenge: string;
}

const NONE: Credential = { authorization: '' };

/** The only credential of a request. Each header that an enabled form uses counts as one, with any scheme. */
export function readCredential(forms: readonly CredentialForm[], request: RequestHeaders): Presented {
  const { authorization, keys } = headersOf(forms, request);
  const isBasicOn = forms.includes('basic');
  const [header] = authorization;
  const [key] = keys;
  let credential = NONE;
  if (authorization.length + keys.length === 1) {
    // A comma joins two headers of the same name.
    if (key !== undefined) credential = key.includes(',') ? NONE : found(key);
    else if (isBasicOn && BASIC.test(header!))
      credential = isFromOtherSite(request) ? NONE : found(passwordIn(header!));
    else if (forms.includes('bearer')) credential = { authorization: header! };
  }
  const hasOther = keys.length > 0 || (forms.includes('bearer') && authorization.some((value) => BEARER.test(value)));
  const isBrowser = () => BROWSER_HEADERS.some((name) => request.values(name).length > 0);
  // Browsers would ask a person for a password, and remember it.
  return { credential, challenge: isBasicOn && !hasOther && !isBrowser() ? 'Basic realm="api"' : 'Bearer' };
}

/** Every text of a request in which a key may stand, even if the request is malformed. */
export function credentialTexts(forms: readonly CredentialForm[], request: Pick<RequestHeaders, 'values'>): string[] {
  const { authorization, keys } = headersOf(forms, request);
  const passwords = forms.includes('basic') ? authorization.flatMap((value) => passwordIn(value) ?? []) : [];
  return [...authorization, ...keys, ...passwords];
}

export function credentialHeaders(forms: readonly CredentialForm[]): string[] {
  const usesAuthorization = forms.includes('bearer') || forms.includes('basic');
  return [...(usesAuthorization ? ['authorization'] : []), ...(forms.includes('x-api-key') ? ['x-api-key'] : [])];
}

/** Envoy joins headers of the same name by a comma. */
const BEARER = /(?:^|, *)bearer(?: |$)/i;
const BASIC = /^basic(?: |$)/i;
/** Browsers send them: the last one with a request for a page, also by http. */
const BROWSER_HEADERS = ['origin', 'sec-fetch-site', 'upgrade-insecure-requests'];

function headersOf(forms: readonly CredentialForm[], { values }: Pick<RequestHeaders, 'values'>) {
  const read = credentialHeaders(forms);
  const of = (name: string) => (read.includes(name) ? values(name) : []);
  return { authorization: of('authorization'), keys: of('x-api-key') };
}

function found(apiKey: string | undefined): Credential {
  return apiKey ? { apiKey } : NONE;
}

/** RFC 7617: what follows the first colon. Undefined unless it is the canonical base64 (RFC 4648, 4) of such a text. */
function passwordIn(header: string): string | undefined {
  if (!BASIC.test(header)) return undefined;
  const encoded = header.slice('basic '.length);
  const decoded = Buffer.from(encoded, 'base64');
  if (decoded.toString('base64') !== encoded) return undefined;
  const text = decoded.toString('latin1');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : text.slice(colon + 1);
}

/** Browsers add a remembered password to requests that pages of other sites make. */
function isFromOtherSite({ values, host }: RequestHeaders): boolean {
  if (values('sec-fetch-site').some((site) => site !== 'none' && site !== 'same-origin')) return true;
  return values('origin').some((origin) => !isOriginAt(origin, host()));
}

function isOriginAt(origin: string, host: string | undefined): boolean {
  const protocol = /^https?:\/\//.exec(origin)?.[0];
  const own = `${protocol}${host}`;
  if (protocol === undefined || host === undefined || !URL.canParse(origin) || !URL.canParse(own)) return false;
  return new URL(origin).host === new URL(own).host;
}
