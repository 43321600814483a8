import { invalidFields } from '#domain/errors.js';
import { headerValues } from '../../shared/http-connections.js';
import type { RoutedRequest } from '../../shared/route-table.js';
import { forwardedHostOf, type LatchkeyRequest } from '../pipeline/request.js';

/** The headers in which a proxy sends the original method and target. */
interface OriginalHeaders {
  readonly method: string;
  readonly target: string;
}

const FORWARDED: OriginalHeaders = { method: 'x-forwarded-method', target: 'x-forwarded-uri' };

const MODES = {
  nginx: { method: 'x-original-method', target: 'x-original-uri' },
  caddy: FORWARDED,
  traefik: FORWARDED,
  haproxy: FORWARDED,
} satisfies Record<string, OriginalHeaders>;

export type ForwardAuthMode = keyof typeof MODES;
export const FORWARD_AUTH_MODES = Object.keys(MODES) as ForwardAuthMode[];

export function readMode(value: unknown): ForwardAuthMode {
  const mode = FORWARD_AUTH_MODES.find((known) => known === value);
  if (mode) return mode;
  throw invalidFields([{ field: 'mode', message: `must be one of ${FORWARD_AUTH_MODES.join(', ')}` }]);
}

/** Undefined unless the proxy sends method and target exactly once each. */
export function originalOf(request: LatchkeyRequest, mode: ForwardAuthMode): RoutedRequest | undefined {
  const [method, ...methods] = headerValues(request, MODES[mode].method);
  const [target, ...targets] = headerValues(request, MODES[mode].target);
  const isClear = method !== undefined && target !== undefined && methods.length + targets.length === 0;
  return isClear ? { method, target, host: forwardedHostOf(request) } : undefined;
}
