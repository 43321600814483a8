import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { runCommand } from '../support/processes/command-line.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { snippetOf } from '../support/reading/pages.js';
import { startService, type Service } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { requestUpgrade } from './request-upgrade.js';
import { Users } from './both-kinds.js';
import { EchoBackend, type Seen } from './echo-backend.js';
import { startProxy, type Proxy, type Recipe } from './recipe.js';

export const SYSTEMS = '/backend/api/systems';
export const BURST = 40;
/** The routes that docs/edge.md shows. */
export const ROUTES = snippetOf('docs/edge.md', 'Routes and permissions', 'json');

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The request that reached the backend, if one did. */
  readonly seen: Seen | undefined;
}

/**
 * A backend behind a proxy that requires keys, with the routes of docs/edge.md. PostgreSQL or Latchkey can be
 * made unavailable.
 */
export class GuardedBackend {
  /** The users whose tokens the backend itself accepts. */
  users!: Users;
  private readonly undo: (() => unknown)[] = [];
  private proxy!: Proxy;
  private backend!: EchoBackend;
  private line!: SlowLine;
  private service!: Service;
  private stopping?: Promise<void>;

  static async start<Door extends GuardedBackend>(this: new () => Door, recipe: Recipe): Promise<Door> {
    const door = new this();
    try {
      await door.open(recipe);
      return door;
    } catch (error) {
      await door.stop();
      throw error;
    }
  }

  private async open(recipe: Recipe): Promise<void> {
    this.users = await Users.create();
    const folder = mkdtempSync(join(tmpdir(), 'guarded-'));
    this.undo.push(() => rmSync(folder, { recursive: true }));
    const routes = join(folder, 'routes.json');
    writeFileSync(routes, ROUTES);
    const database = await createDatabase();
    this.undo.push(() => database.drop());
    this.line = await SlowLine.to(database.url);
    this.undo.push(() => this.line.close());
    const { users } = this;
    this.backend = await EchoBackend.start(recipe.acceptsUserTokens ? (header) => users.isUser(header) : undefined);
    this.undo.push(() => this.backend.stop());
    const edgePort = recipe.isEdge && (await freePort());
    this.service = await startService({
      ...(edgePort && { EDGE_PORT: String(edgePort) }),
      EXT_AUTHZ_ROUTES: 'on',
      DATABASE_URL: this.line.instead(database.url),
      FORWARD_AUTH_ROUTES: routes,
      CREDENTIALS: recipe.credentials ?? 'bearer',
      TRUSTED_PROXIES: 'loopback',
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: String(BURST),
    });
    this.undo.push(() => this.stopLatchkey());
    const latchkey = edgePort
      ? `127.0.0.1:${edgePort}`
      : recipe.isGrpc
        ? this.service.grpcTarget
        : new URL(this.service.url).host;
    this.proxy = await startProxy(recipe, { latchkey, backend: this.backend.address });
    this.undo.push(() => this.proxy.stop());
  }

  /** The address of the proxy. */
  get url(): string {
    return this.proxy.url;
  }

  /** The requests that reached the backend. */
  get seen(): readonly Seen[] {
    return this.backend.seen;
  }

  newOwner(profile: Parameters<typeof newOwner>[1] = {}): Promise<Owner> {
    return newOwner(this.service, profile);
  }

  async newKey(order: object = {}): Promise<string> {
    const { person } = await this.newOwner();
    return (await person.newKey(order)).fullKey;
  }

  /** Sends a request to the proxy byte by byte, so that no client corrects it. */
  async send(key: string | undefined, line: string, headers: string[] = [], body = ''): Promise<Answer> {
    const before = this.backend.seen.length;
    const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
    const length = body === '' ? [] : [`Content-Length: ${body.length}`];
    const answer = await rawRequest(this.proxy, line, [...authorization, ...length, ...headers], body);
    const [, ...lines] = answer.head.split('\r\n');
    const pairs = lines.map((text): [string, string] => [text.split(':', 1)[0]!, text.replace(/^[^:]*:/, '')]);
    return { ...answer, headers: new Headers(pairs), seen: this.backend.seen[before] };
  }

  /** The status, and the body that the backend received, of a request that curl sends. */
  async curl(key: string, path: string, ...words: string[]): Promise<{ status: string; body: string | undefined }> {
    const before = this.backend.seen.length;
    const asking = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Authorization: Bearer ${key}`, ...words];
    const { out } = await runCommand('curl', [...asking, new URL(path, this.url).href]);
    return { status: out, body: this.backend.seen[before]?.body };
  }

  /** Ends the answers that have begun. */
  endStreams(): void {
    for (const stream of this.backend.streams.splice(0)) stream.end();
  }

  /** Requests another protocol from the proxy, and sends a text in the tunnel if one is opened. */
  async upgrade(key: string | undefined, line: string, headers: readonly string[], said: string) {
    const [seen, tunnels] = [this.backend.seen.length, this.backend.tunnels.length];
    const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
    const answer = await requestUpgrade(this.proxy, line, [...authorization, ...headers], said);
    return { ...answer, seen: this.backend.seen[seen], tunnels: this.backend.tunnels.slice(tunnels) };
  }

  /** Refuses connections to Latchkey from now on. */
  stopLatchkey(): Promise<void> {
    return (this.stopping ??= this.service.stop());
  }

  takeAwayPostgres(): void {
    this.line.close();
  }

  async stop(): Promise<void> {
    for (const step of this.undo.reverse()) await step();
  }
}

/** Expects Latchkey's own answer to a request that did not reach the backend. */
export function expectRefusal({ status, body, headers, seen }: Answer, expected: number, message: string): void {
  expect([status, body, seen]).toEqual([expected, JSON.stringify({ message }), undefined]);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
}
