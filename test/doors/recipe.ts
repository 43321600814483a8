import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { searchPath } from '../../scripts/testing/programs.mjs';
import { eventually } from '../support/eventually.js';

interface Addresses {
  readonly latchkey: string;
  /** The second instance, whose line is uncommented; the first again unless given. */
  readonly second?: string;
  readonly backend: string;
}

/**
 * Timeouts for production, such as `timeout connect 1s`, `proxy_connect_timeout 250ms`, `dial_timeout 1s`. A busy machine is
 * no outage.
 */
const SHORT_TIMEOUT = /\b(timeout \w+ |\w+_timeout )(?:\ds|\d+ms)\b/g;
const PROXY_TIMEOUT_SECONDS = 60;
/** Envoy also takes `max_interval` as the time of one attempt. */
const ENVOY_TIMEOUT = /\b((?:connect_)?timeout: |max_interval: )[\d.]+s\b/g;
/** How long a proxy waits for a client. */
const CLIENT_TIMEOUT =
  /\b(timeout http-(?:request|keep-alive)|client_(?:header|body)_timeout|keepalive_timeout|read_header|idle) \d+s\b/g;

export interface Proxy {
  readonly url: string;
  /** What it has printed. */
  output(): string;
  stop(): Promise<void>;
}

export interface Recipe {
  readonly name: string;
  /** Files, by their paths from deploy/forward-auth. The command gets the first one. */
  readonly files: readonly [string, ...string[]];
  /** Whether the backend itself checks credentials that are not keys. The recipe's lines for that are then uncommented. */
  readonly acceptsUserTokens: boolean;
  /** Whether it forwards the one upgrade that recipes allow. */
  readonly passesWebSockets: boolean;
  /** Calls Latchkey's gRPC port, whose answers choose no permission by the path. */
  readonly isGrpc?: boolean;
  /** Calls the edge door. */
  readonly isEdge?: boolean;
  /** Brings a path into its normal form, in which the backend gets it. */
  readonly normalizesPaths?: boolean;
  /** Answers 400 if the header Connection names X-Forwarded-*, or many headers. */
  readonly refusesNamedForwarding?: boolean;
  /** Latchkey's CREDENTIALS. With x-api-key the recipe's lines for it are uncommented. */
  readonly credentials?: string;
  /** Stands for `lk_` in the pattern by which the recipe knows a key. */
  readonly beginnings?: string;
  /** What the files lack, as in an earlier release. */
  readonly without?: RegExp;
  /** Accepts HTTP/2 without TLS, and nothing else. */
  readonly isHttp2?: boolean;
  /** @param file the first file, with this test's addresses */
  command(file: string, folder: string): readonly [string, ...string[]];
}

export const recipeText = (name: string) => readFileSync(join(root, 'deploy/forward-auth', name), 'utf8');

/** The same recipe as its users' TLS has it, without the TLS. */
export function overHttp2(recipe: Recipe): Recipe {
  return { ...recipe, name: `${recipe.name} over HTTP/2`, isHttp2: true };
}

/** What nginx and Caddy need for it. HAProxy always accepts it. */
const WITH_HTTP2 = [
  [/\blisten 8080;/g, 'listen 8080 http2;'],
  [/^\tservers \{$/m, '\tservers {\n\t\tprotocols h1 h2c'],
] as const;

const envoyAddress = (hostAndPort: string) => {
  const [host, port] = hostAndPort.split(':');
  return `address: ${host}, port_value: ${port}`;
};

/** The lines of a recipe that let the tokens of users through, commented out. */
const USER_TOKEN_LINES = /^(\s*)# (?=(?:default no;|@user |reverse_proxy @user |http-request set-var\(txn\.user\)))/gm;

/** The lines of a recipe for the form x-api-key, commented out. */
const API_KEY_LINES =
  /^(\s*)(?:#|--) (?=map \$upstream|add_header Cache|proxy_set_header X-API|request_header -X-API|header \?Cache|http-request del-header X-API|http-response set-header Cache|\["x-api|- \{ exact: x-api)/gm;

/**
 * Runs the real proxy with the recipe. Only ports and timeouts are replaced with the test's.
 * @param clientSeconds how long it waits for a client, unless that is as in the recipe
 * @param serviceToken Envoy's
 * @param keepsConnectTimeout whether nginx gives up a connection after the recipe's time
 */
export async function startProxy(
  recipe: Recipe,
  { latchkey, second = latchkey, backend }: Addresses,
  {
    clientSeconds,
    keepsConnectTimeout = false,
    serviceToken = 'dev-validator-token',
  }: { clientSeconds?: number; keepsConnectTimeout?: boolean; serviceToken?: string } = {},
): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const port = await freePort();
  for (const name of recipe.files) {
    const given = recipeText(name);
    const text = (recipe.isHttp2 ? WITH_HTTP2 : [])
      .reduce((before, [line, replacement]) => before.replace(line, replacement), given)
      .replaceAll(recipe.without ?? /$^/g, '')
      .replaceAll(USER_TOKEN_LINES, recipe.acceptsUserTokens ? '$1' : '$&')
      .replaceAll(API_KEY_LINES, recipe.credentials?.includes('x-api-key') ? '$1' : '$&')
      .replaceAll('+/-])lk_', `+/-])${recipe.beginnings ?? 'lk_'}`)
      .replaceAll('127.0.0.1:3000', latchkey)
      // As the backend of a test needs it.
      .replaceAll('client_max_body_size 1m', 'client_max_body_size 8m')
      .replaceAll('# server 127.0.0.1:3001', `server ${second}`)
      .replaceAll('127.0.0.1:8000', backend)
      .replaceAll(/\b8080\b/g, String(port))
      .replaceAll('abns@latchkey', `abns@latchkey-${port}`)
      .replaceAll('/etc/haproxy/', `${folder}/`)
      .replaceAll(SHORT_TIMEOUT, (all, setting: string) =>
        keepsConnectTimeout && setting === 'proxy_connect_timeout ' ? all : `${setting}${PROXY_TIMEOUT_SECONDS}s`,
      )
      .replaceAll(CLIENT_TIMEOUT, (all, setting: string) => (clientSeconds ? `${setting} ${clientSeconds}s` : all))
      .replaceAll('address: latchkey-1, port_value: 50051', envoyAddress(latchkey))
      .replaceAll('address: latchkey-2, port_value: 50051', envoyAddress(second))
      .replaceAll('address: systems-api, port_value: 4000', envoyAddress(backend))
      .replaceAll(ENVOY_TIMEOUT, `$1${PROXY_TIMEOUT_SECONDS}s`)
      .replaceAll('timeout = 3000', `timeout = ${1000 * PROXY_TIMEOUT_SECONDS}`);
    writeFileSync(join(folder, basename(name)), text);
  }
  const [command, ...args] = recipe.command(join(folder, basename(recipe.files[0])), folder);
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: searchPath(), HOME: folder, LATCHKEY_SERVICE_TOKEN: serviceToken },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const ended = once(child, 'exit').then(() => process.off('exit', end));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => isOpen(port));
  } catch {
    await stop();
    throw new Error(`${basename(command)} does not answer: ${output}`);
  }
  return { url, output: () => output, stop };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
