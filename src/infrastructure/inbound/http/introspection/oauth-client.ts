import { unescape } from 'node:querystring';
import { LatchkeyError } from '#domain/errors.js';
import type { ClientSecret, ServiceIdentity } from '../../shared/service-identity.js';
import { OAuthRefusal } from '../pipeline/http-errors.js';

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

/** The name of the calling validator, by its bearer token or by OAuth client authentication. */
export function identifyClient(
  identity: ServiceIdentity,
  authorization: readonly string[],
  form: ReadonlyMap<string, string>,
  address: () => string | undefined,
): string {
  const secrets = readClientSecret(authorization, form);
  try {
    return identity.require(['validator'], { authorization, secrets, address }, '/v1/introspect').name;
  } catch (error) {
    const isUnknown = secrets && error instanceof LatchkeyError && error.code === 'unauthenticated';
    throw isUnknown ? new OAuthRefusal(401, 'invalid_client', 'No service identity has this name and token') : error;
  }
}

/** `client_secret_basic` or `client_secret_post` (RFC 6749, section 2.3.1), in each possible reading; undefined if unused. */
function readClientSecret(
  authorization: readonly string[],
  form: ReadonlyMap<string, string>,
): readonly ClientSecret[] | undefined {
  const [header, ...others] = authorization;
  const token = form.get('client_secret');
  if (header === undefined) {
    const name = form.get('client_id');
    return name === undefined && token === undefined ? undefined : [{ name: name ?? '', token: token ?? '' }];
  }
  if (token !== undefined) {
    throw new OAuthRefusal(400, 'invalid_request', 'Send Authorization or client_secret, not both');
  }
  if (others.length > 0 || !/^basic /i.test(header)) return undefined;
  const [, encoded = ''] = BASIC.exec(header) ?? [];
  const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
  const given = { name, token: rest.join(':') };
  // The standard requires both to be form-encoded, which some clients do not do.
  return [given, { name: unescapePlus(given.name), token: unescapePlus(given.token) }];
}

function unescapePlus(text: string): string {
  return unescape(text.replaceAll('+', ' '));
}
