import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { Session } from '#application/sign-in-ports.js';
import type { Client } from '#domain/audit/audit-event.js';
import type { Account } from '#domain/accounts/account.js';
import { withoutPort } from '#domain/ip-address.js';
import { withoutSecrets } from '#domain/secrets.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { clientFacts, headerValues, keyStringIn } from '../../shared/request-facts.js';
import { type CredentialForm, readCredential } from '#domain/keys/credential.js';
import { challenging, type KeyAnswer, UNAVAILABLE } from '../../shared/key-answers.js';

export interface LatchkeyRequest extends Request {
  requestId: string;
  /** Set by the OwnerGuard. */
  session?: Session;
  /** The account whose keys it is about. */
  owner?: Account;
  /** The service identity that reports leaked keys. Set by the leaks door. */
  reporter?: string;
}

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** So that logs and audit events can be joined. The client's own id is kept if it is well-formed and has no key. */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  const presented = request.get('x-request-id');
  const isPresentable =
    presented !== undefined && REQUEST_ID.test(presented) && withoutSecrets(presented) === presented;
  const requestId = isPresentable ? presented : randomUUID();
  (request as LatchkeyRequest).requestId = requestId;
  response.set('X-Request-Id', requestId);
  next();
}

/** Express knows a trusted proxy by its bare address. */
export function dropForwardedPorts({ headers }: Request, _response: Response, next: NextFunction): void {
  const forwardedFor = headers['x-forwarded-for'];
  if (forwardedFor !== undefined) {
    const addresses = String(forwardedFor).split(',');
    headers['x-forwarded-for'] = addresses.map((address) => withoutPort(address.trim())).join(', ');
  }
  next();
}

const UNNAMED =
  'X-Forwarded-For is ignored: TRUSTED_PROXIES does not name the peer that sent it. If the peer is your proxy, add ' +
  'it there: otherwise all its clients share its address, and wrong passwords of one of them lock all of them out';
const SILENT =
  'A peer that TRUSTED_PROXIES names sends no X-Forwarded-For with an address: let your proxy set it to the address of ' +
  'its client. Otherwise all its clients share its address, and wrong passwords of one of them lock all of them out';

/** Warns once of a proxy that is not trusted, and once of one that does not name its client. */
export function warnOfProxies(log: Log) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const isNamed = request.ips.length > 0 && isIP(request.ip ?? '') !== 0;
    const sends = request.get('x-forwarded-for') !== undefined;
    const danger = hasTrustedPeer(request) ? !isNamed && SILENT : sends && UNNAMED;
    if (danger) log.warnOnce(danger, { peer: request.socket.remoteAddress });
    next();
  };
}

export function clientOf(request: LatchkeyRequest): Client {
  return clientFacts({ ip: request.ip, userAgent: request.get('user-agent'), requestId: request.requestId });
}

/** With these a proxy names its client, or a client claims to be another one. Only the first is ever believed. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * The address of the client, if this service can vouch for it; null if not. A request without a forwarded header comes
 * from its peer. One with such a header is believed only if TRUSTED_PROXIES names the peer.
 */
export function clientAddressOf(request: LatchkeyRequest): string | null {
  const isForwarded = FORWARDING.some((name) => request.headers[name] !== undefined);
  return isForwarded ? forwardedAddressOf(request) : clientOf(request).ip;
}

/** The same for a request that a proxy describes: its peer is never the client. */
export function forwardedAddressOf(request: LatchkeyRequest): string | null {
  return request.ips.length > 0 ? clientOf(request).ip : null;
}

/** The host that the client of a trusted proxy called, with its port. Undefined: unknown. */
export function forwardedHostOf(request: LatchkeyRequest): string | undefined {
  const [host, ...others] = headerValues(request, 'x-forwarded-host');
  return others.length === 0 && hasTrustedPeer(request) ? host : undefined;
}

/** Whether TRUSTED_PROXIES names the peer. */
function hasTrustedPeer({ app, socket }: Request): boolean {
  const trust = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return trust(socket.remoteAddress ?? '', 0);
}

/**
 * Answers a request with a key, in the same form as every service that accepts keys: with 503 when `judge` throws.
 * @param credentials in which forms one may stand, and the host as in `RequestHeaders`
 * @param judge decides on the credential, which is undefined when there is none or more than one
 */
export async function answerKey(
  request: LatchkeyRequest,
  { forms, host }: { readonly forms: readonly CredentialForm[]; readonly host?: string | undefined },
  judge: (credential: string | undefined, client: Client) => Promise<KeyAnswer>,
  log: Log,
): Promise<KeyAnswer> {
  try {
    const headers = { values: (name: string) => headerValues(request, name), host: () => host };
    const { credential, challenge } = readCredential(forms, headers);
    return challenging(await judge(keyStringIn(credential), clientOf(request)), challenge);
  } catch (error) {
    log.fault(error, request);
    return UNAVAILABLE;
  }
}

/** `send` would add headers. */
export function sendKeyAnswer(response: Response, { status, headers, body }: KeyAnswer): void {
  response
    .status(status)
    .setHeaders(new Map(Object.entries(headers)))
    .end(body);
}
