import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newOwner, type Owner } from './owners.js';
import { rawRequest, type RawAnswer } from './raw-http.js';
import { startService, type Service } from '../processes/service.js';

/** Names of the headers in which a proxy sends method and path. */
type HeaderPair = readonly [string, string];
export const NGINX: HeaderPair = ['X-Original-Method', 'X-Original-URI'];
export const FORWARDED: HeaderPair = ['X-Forwarded-Method', 'X-Forwarded-Uri'];

const ROUTES = [
  { method: '*', path: '/open', permission: '' },
  { method: '*', path: '/systems/**', permission: 'systems:read' },
  { method: '*', path: '/reports/**', permission: 'reports:read' },
];

/** Latchkey as a proxy sees it, with an owner who has systems:read, systems:write and a tenant, and a very high rate limit. */
export interface ForwardAuthStage {
  readonly service: Service;
  readonly owner: Owner;
  readonly keyId: string;
  readonly expiresAt: string;
  readonly good: string;
  readonly readOnly: string;
  send(mode: string, headers: string[], method?: string, body?: string): Promise<RawAnswer>;
  stop(): Promise<void>;
}

/** The file that FORWARD_AUTH_ROUTES names; it is deleted with the run's folder. */
export function routesFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'forward-auth-')), 'routes.json');
  writeFileSync(file, JSON.stringify(ROUTES));
  return file;
}

export async function startForwardAuth(env: NodeJS.ProcessEnv = {}): Promise<ForwardAuthStage> {
  const limits = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
  const service = await startService({ ...limits, FORWARD_AUTH_ROUTES: routesFile(), ...env });
  const attributes = { items: [{ name: 'tenant', value: 'acme' }] };
  const owner = await newOwner(service, { attributes });
  const { apiKey, fullKey } = await owner.person.newKey();
  return {
    service,
    owner,
    keyId: apiKey.id,
    expiresAt: apiKey.expiresAt,
    good: fullKey,
    readOnly: (await owner.person.newKey({ access: 'read-only' })).fullKey,
    send: (mode, headers, method = 'GET', body = '') =>
      rawRequest(service, `${method} /v1/forward-auth?mode=${mode}`, headers, body),
    stop: () => service.stop(),
  };
}

/** A request like a proxy's. */
export function about(key: string, method: string, target: string, [methodName, targetName]: HeaderPair): string[] {
  return [`Authorization: Bearer ${key}`, `${methodName}: ${method}`, `${targetName}: ${target}`];
}

export function headersOf(head: string): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, '')]));
}
