import type { Arrival, Seen, Sent } from './restricted-doors.js';

/** The key of this table. The owner has more than the key. */
export const OWNERS = ['systems:read', 'systems:write', 'reports:read'];
export const OF_KEY = ['systems/sys-1:read', 'systems/sys-3:write'];
/** With the addresses of proxies: a door that takes the proxy for the client lets everybody in. */
export const NETWORKS = ['203.0.113.0/24', '127.0.0.0/8'];
const [INSIDE, OUTSIDE] = ['203.0.113.7', '198.51.100.7'];

const sent = (method: 'GET' | 'POST', path: string, permission: string): Sent => ({
  method,
  path,
  permission,
  operation: method === 'GET' ? 'READ' : 'WRITE',
});
export const REQUESTS = [
  sent('GET', '/systems/sys-1', 'systems/sys-1:read'),
  sent('GET', '/systems/sys-1/parts', 'systems/sys-1/parts:read'),
  sent('GET', '/systems/sys-10', 'systems/sys-10:read'),
  sent('GET', '/systems/sys-2', 'systems/sys-2:read'),
  sent('GET', '/systems', 'systems:read'),
  sent('POST', '/systems/sys-1', 'systems/sys-1:write'),
  sent('POST', '/systems/sys-3', 'systems/sys-3:write'),
  sent('GET', '/systems/sys-3', 'systems/sys-3:read'),
  sent('GET', '/reports', 'reports:read'),
  sent('GET', '/any', ''),
];

/** The verdict by hand, with nothing of Latchkey. @param address undefined: unknown */
export function naively({ permission, operation }: Sent, address: string | undefined): Seen {
  if (!address?.startsWith('203.0.113.') && !address?.startsWith('127.'))
    return { status: 403, hasScope: false, hasRateLimit: false };
  const [resource = '', action] = permission.split(':');
  const isAllowed = OF_KEY.some((own) => {
    const [above = '', does] = own.split(':');
    if (permission === '') return does === operation.toLowerCase();
    return does === action && (resource === above || resource.startsWith(`${above}/`));
  });
  return { status: isAllowed ? 200 : 403, hasScope: !isAllowed, hasRateLimit: true };
}

/** @param believed the address that the door may believe; undefined: none */
export type Row = readonly [what: string, arrival: Arrival, believed: string | undefined];

export const PROXY = '127.0.0.1';
/** A door behind a proxy that it trusts. */
export const TRUSTED: readonly Row[] = [
  ['inside', { peer: PROXY, forwardedFor: INSIDE }, INSIDE],
  ['outside', { peer: PROXY, forwardedFor: OUTSIDE }, OUTSIDE],
  ['mapped, inside', { peer: PROXY, forwardedFor: `::ffff:${INSIDE}` }, INSIDE],
  ['inside by a claim, outside by the proxy', { peer: PROXY, forwardedFor: `${INSIDE}, ${OUTSIDE}` }, OUTSIDE],
  ['outside by a claim, inside by the proxy', { peer: PROXY, forwardedFor: `${OUTSIDE}, ${INSIDE}` }, INSIDE],
  ['outside, and another claim', { peer: PROXY, forwardedFor: OUTSIDE, claim: `X-Real-IP: ${INSIDE}` }, OUTSIDE],
  ['inside, with a port', { peer: PROXY, forwardedFor: `${INSIDE}:50001` }, INSIDE],
  ['outside, with a port', { peer: PROXY, forwardedFor: `${OUTSIDE}:50001` }, OUTSIDE],
  ['no address', { peer: PROXY, forwardedFor: 'unknown' }, undefined],
];
/** A door whose peer is not trusted. */
export const UNTRUSTED: readonly Row[] = [
  ['a claim', { peer: PROXY, forwardedFor: INSIDE }, undefined],
  ['a claim by Forwarded', { peer: PROXY, claim: `Forwarded: for=${INSIDE}` }, undefined],
  ['a claim by X-Real-IP', { peer: PROXY, claim: `X-Real-IP: ${INSIDE}` }, undefined],
  ['two claims', { peer: PROXY, forwardedFor: `${INSIDE}, ${INSIDE}` }, undefined],
];
/** Nobody says that the request was forwarded. */
export const DIRECT: Row = ['the peer alone', { peer: PROXY }, PROXY];
/** A caller that says which address it believes. */
export const PASSED_ON: readonly Row[] = [
  ['inside', { peer: PROXY, forwardedFor: INSIDE }, INSIDE],
  ['outside', { peer: PROXY, forwardedFor: OUTSIDE }, OUTSIDE],
  ['unknown', { peer: PROXY }, undefined],
  ['a list', { peer: PROXY, forwardedFor: `${INSIDE}, ${OUTSIDE}` }, undefined],
];
export const AT_ENVOY: readonly Row[] = [
  ['inside', { peer: INSIDE }, INSIDE],
  ['outside', { peer: OUTSIDE }, OUTSIDE],
  ['inside by a claim', { peer: OUTSIDE, forwardedFor: INSIDE }, undefined],
  ['behind another proxy inside', { peer: INSIDE, forwardedFor: OUTSIDE }, undefined],
];
