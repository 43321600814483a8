import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { blocksOf, everyPage, textOf } from '../support/reading/pages.js';

/** The words for a redirect of nginx, Caddy, HAProxy, Traefik, Envoy and ingress controllers. */
const REDIRECT = [
  /\breturn 30\d\b/,
  /\bpermanent\b/,
  /\bredir\b/,
  /\b(?<!disable_)redirects?\b(?!_uri)/i,
  /redirect(?:ions|scheme|regex)|(?:https|ssl|path|host)[-_]redirect/i,
  /\brequire_tls\b/,
];
/** A door on port 80, with which Caddy needs no word for a redirect. */
const PORT_80 = /\blisten (?:\S+:)?80\b|\bbind \S*:80\b|port_value: 80\b|address: ':80'|- '(?:[\d.]+:)?80:\d+'/;

const code = (text: string) => text.replaceAll(/^\s*(?:#|--).*$/gm, '');
const deployed = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' });
const recipes = [...readdirSync(root), ...deployed.map((path) => join('deploy', path))]
  .filter((path) => /^docker-compose.*\.yml$|^deploy\/.*(?:\.(?:conf|cfg|lua|ya?ml)|Caddyfile)$/.test(path))
  .map((path): [string, string] => [path, code(textOf(path))]);
const pages = everyPage().map((page): [string, string] => [
  page,
  ['nginx', 'haproxy', 'caddy', 'yaml', 'sh']
    .flatMap((language) => blocksOf(page, language))
    .map(code)
    .join('\n'),
]);
const isRedirecting = (text: string) => [...REDIRECT, PORT_80].some((words) => words.test(text));

test('no recipe and no example on a page listens on port 80 or redirects, because the key was already sent then', () => {
  expect(recipes.length).toBeGreaterThan(15);
  expect([...recipes, ...pages].filter(([, text]) => isRedirecting(text)).map(([path]) => path)).toEqual([]);
});

test('the recipe for Caddy, which redirects by itself, switches that off', () => {
  expect(code(textOf('deploy/forward-auth/Caddyfile'))).toMatch(/^\s*\{\s+auto_https disable_redirects\s/);
});

test.each([
  'return 301 https://$host$request_uri;',
  'rewrite ^ https://$host$uri permanent;',
  'redir https://{host}{uri}',
  'http-request redirect scheme https',
  'redirectScheme: { scheme: https }',
  'redirections: { entryPoint: { to: websecure } }',
  'redirect: { https_redirect: true }',
  'require_tls: ALL',
  "nginx.ingress.kubernetes.io/ssl-redirect: 'true'",
  'listen 80;',
  'bind :80',
  "- '80:8080'",
])('this check would find %s', (text) => expect(isRedirecting(text)).toBe(true));
