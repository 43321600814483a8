import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names of the headers in which a proxy sends method and path. */
type HeaderPair = readonly [string, string];
export const NGINX: HeaderPair = ['X-Original-Method', 'X-Original-URI'];
export const FORWARDED: HeaderPair = ['X-Forwarded-Method', 'X-Forwarded-Uri'];

const ROUTES = [
  { method: '*', path: '/open', permission: '' },
  { method: '*', path: '/systems/**', permission: 'systems:read' },
  { method: '*', path: '/reports/**', permission: 'reports:read' },
];

/** The file that FORWARD_AUTH_ROUTES names; it is deleted with the run's folder. */
export function routesFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'forward-auth-')), 'routes.json');
  writeFileSync(file, JSON.stringify(ROUTES));
  return file;
}

/** A request like a proxy's. */
export function about(key: string, method: string, target: string, [methodName, targetName]: HeaderPair): string[] {
  return [`Authorization: Bearer ${key}`, `${methodName}: ${method}`, `${targetName}: ${target}`];
}

export function headersOf(head: string): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, '')]));
}
