import type { Client } from '#domain/audit/audit-event.js';
import { OPERATIONS, type Question } from '#domain/keys/verdict.js';
import { isPermission } from '#domain/accounts/permission.js';
import { readCredential } from '#domain/keys/credential.js';
import { clientFacts, CLOSED, keyStringIn, operationOf } from '../../shared/request-facts.js';
import { normalPath } from '../../shared/normal-path.js';
import type { ProxyParts } from '../../shared/route-table.js';
import type * as proto from '../generated/types.js';

/**
 * What Envoy says about a request, and about its route (`context_extensions`). Absent texts are empty, absent messages null.
 * @param rules `routes` decide where Envoy's route names no permission. Without them no key may pass there
 * @returns with `fault`, a mistake in the settings of Envoy's route, described for its operator
 */
export function readCheck(
  { attributes }: proto.CheckRequest__Output,
  rules: Partial<Pick<ProxyParts, 'credentials' | 'routes'>> = {},
) {
  const { credentials = ['bearer'], routes } = rules;
  const http = attributes?.request?.http;
  // With `encode_raw_headers` Envoy sends the second kind alone.
  const raw = http?.headerMap?.headers.map(({ key, rawValue }) => ({ key, value: rawValue.toString() })) ?? [];
  const headers = [...(http?.headers ?? []), ...raw];
  const header = (name: string) => valuesOf(headers, name);
  const permission = valuesOf(attributes?.contextExtensions, 'permission')[0];
  const override = valuesOf(attributes?.contextExtensions, 'operation')[0];
  const operation = override === undefined ? operationOf(http?.method ?? '') : OPERATIONS.find((o) => o === override);
  const client = clientFacts({
    ip: attributes?.source?.address?.socketAddress?.address,
    userAgent: header('user-agent')[0],
    requestId: header('x-request-id')[0] || http?.id,
  });
  const isRouted = routes !== undefined && permission === undefined;
  const fault = isRouted ? undefined : faultOf(permission, operation);
  const routed = isRouted && http ? routes.questionFor({ ...http, target: http.path }) : undefined;
  const isClear = normalPath(http?.path ?? '') !== undefined;
  const named = fault || !isClear ? undefined : { operation: operation!, permission: permission! };
  // No key may do what nothing names.
  const asked = (isRouted ? routed : named) ?? CLOSED;
  const question: Question = { ...asked, clientAddress: clientAddress(client, header('x-forwarded-for')) };
  const { credential, challenge } = readCredential(credentials, { values: header, host: () => http?.host });
  return { credential: keyStringIn(credential), challenge, question, client, fault };
}

/**
 * Envoy names the peer of its connection, and appends it to X-Forwarded-For. If somebody else is in this header, the peer
 * is another proxy, or the client lies.
 */
function clientAddress({ ip }: Client, forwardedFor: readonly string[]): string | null {
  const named = forwardedFor.flatMap((value) => value.split(','));
  const isPeer = (text: string) =>
    clientFacts({ ip: text.trim(), userAgent: undefined, requestId: undefined }).ip === ip;
  return named.every(isPeer) ? ip : null;
}

/** The permission must be given, even if it is "": a route without settings stays closed. */
function faultOf(permission: string | undefined, operation: string | undefined): string | undefined {
  if (permission === undefined) return 'context_extensions: permission is missing; "" means none';
  if (/[{}]/.test(permission)) return 'context_extensions: permission must be fixed: Envoy fills in no {id} of a path';
  if (permission !== '' && !isPermission(permission)) return 'context_extensions: permission must read resource:action';
  return operation ? undefined : `context_extensions: operation must be one of ${OPERATIONS.join(', ')}`;
}

function valuesOf(entries: readonly { key: string; value: string }[] = [], name: string): string[] {
  return entries.filter(({ key }) => key === name).map(({ value }) => value);
}
