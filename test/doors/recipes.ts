import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recipe } from './recipe.js';

export const NGINX: Recipe = {
  name: 'nginx',
  files: ['nginx.conf'],
  acceptsUserTokens: false,
  passesWebSockets: false,
  command: nginx,
};
export const CADDY: Recipe = {
  name: 'Caddy',
  files: ['Caddyfile'],
  acceptsUserTokens: false,
  passesWebSockets: true,
  command: (file) => ['caddy', 'run', '--config', file],
};
export const HAPROXY: Recipe = {
  name: 'HAProxy',
  files: ['haproxy.cfg', 'latchkey.lua'],
  acceptsUserTokens: false,
  passesWebSockets: true,
  command: (file) => ['haproxy', '-db', '-f', file],
};

export const ENVOY: Recipe = {
  name: 'Envoy',
  files: ['../envoy.yaml'],
  acceptsUserTokens: false,
  passesWebSockets: false,
  isGrpc: true,
  normalizesPaths: true,
  refusesNamedForwarding: true,
  command: (file) => ['envoy', '-c', file, '--disable-hot-restart', '--concurrency', '1', '--log-level', 'warn'],
};
/** As its comment says, where clients connect to Envoy itself: then it vouches for the address of its peer. */
export const ENVOY_FIRST_HOP: Recipe = {
  ...ENVOY,
  name: 'Envoy without x-forwarded-for in allowed_headers',
  without: /^ *- \{ exact: x-forwarded-for \}\n/gm,
};

/** What gateways make of deploy/gateways. Their routes name no permission. */
export const ENVOY_BY_ROUTES: Recipe = {
  ...ENVOY_FIRST_HOP,
  name: 'Envoy that calls over gRPC without a permission',
  without:
    /^ *(?:- \{ exact: x-forwarded-for \}|typed_per_filter_config:|envoy\.filters\.http\.ext_authz:|'@type': .*ExtAuthzPerRoute|check_settings:|context_extensions: .*)\n/gm,
};
export const ENVOY_AT_EDGE_DOOR: Recipe = {
  ...ENVOY,
  name: 'Envoy that calls the edge door',
  files: ['../../test/doors/support/envoy-edge.yaml'],
  isGrpc: false,
  isEdge: true,
};

/** The same recipe, in front of a backend that also accepts its users' tokens. */
export function withUserTokens(recipe: Recipe): Recipe {
  return { ...recipe, name: `${recipe.name} with users' tokens`, acceptsUserTokens: true };
}

/** The recipe as it was in 0.2.0, before accounts had attributes. */
export function withoutAttributes(recipe: Recipe): Recipe {
  return { ...recipe, without: /, "x-latchkey-attributes"|^.*latchkey.attributes(?!").*\n/gim };
}

/** The recipe is a file of conf.d. Around it is what a distribution's nginx.conf contains. */
function nginx(file: string, folder: string): [string, ...string[]] {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/temp;`);
  // An installation may allow this elsewhere. The recipe is safe by itself.
  const lax = ['underscores_in_headers on;', 'ignore_invalid_headers off;'];
  const http = ['access_log off;', ...lax, ...temp, `include ${file};`].join('\n');
  const settings = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;`;
  writeFileSync(join(folder, 'main.conf'), `${settings}\nevents {}\nhttp {\n${http}\n}\n`);
  return ['nginx', '-p', folder, '-c', join(folder, 'main.conf'), '-e', 'stderr'];
}
