import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { searchPath } from '../../scripts/testing/programs.mjs';
import { selfSigned } from '../support/processes/certificate.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { startServer } from '../support/stores/server-process.mjs';

const MODULES = '/usr/lib/apache2/modules';
const IDENTITY = ['dev-validator', 'dev-validator-token'] as const;

interface Client {
  readonly name: string;
  readonly module: string;
  readonly authType: string;
  /** Whether the answers of Latchkey say when a key expires. */
  readonly hasExp: boolean;
  readonly settings: (endpoint: string) => readonly string[];
}

const openIdConnect = (...more: string[]): Omit<Client, 'name' | 'hasExp'> => ({
  module: 'auth_openidc',
  authType: 'oauth20',
  settings: (endpoint) => [
    `OIDCOAuthIntrospectionEndpoint ${endpoint}`,
    `OIDCOAuthClientID ${IDENTITY[0]}`,
    `OIDCOAuthClientSecret ${IDENTITY[1]}`,
    'OIDCOAuthSSLValidateServer Off',
    'OIDCOAuthRemoteUserClaim sub',
    ...more,
  ],
});

/** Each with its cache as docs/api.md says. */
const CLIENTS: readonly Client[] = [
  { name: 'mod_auth_openidc', ...openIdConnect(), hasExp: false },
  {
    name: 'mod_auth_openidc with its cache off, where answers have `exp`',
    ...openIdConnect('OIDCOAuthTokenIntrospectionInterval -1'),
    hasExp: true,
  },
  {
    name: 'mod_oauth2 with its cache off',
    module: 'oauth2',
    authType: 'oauth2',
    hasExp: false,
    settings: (endpoint) => [
      `OAuth2TokenVerify introspect ${endpoint} introspect.ssl_verify=false&introspect.auth=client_secret_basic&client_id=${IDENTITY[0]}&client_secret=${IDENTITY[1]}&expiry=0`,
    ],
  },
];

describe.each(CLIENTS)('Apache with $name', ({ module, authType, hasExp, settings }) => {
  const folder = mkdtempSync(join(tmpdir(), 'apache-'));
  let service: Service;
  let owner: Owner;
  let tls: Server;
  let apache: Awaited<ReturnType<typeof startServer>>;
  let url: string;
  beforeAll(async () => {
    service = await startService(hasExp ? { INTROSPECTION_EXP: 'on' } : {});
    owner = await newOwner(service);
    tls = await behindTls(service, folder);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    mkdirSync(join(folder, 'www'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'www/index.html'), 'hello');
    const file = join(folder, 'httpd.conf');
    const endpoint = `https://localhost:${(tls.address() as AddressInfo).port}/v1/introspect`;
    writeFileSync(file, configuration(folder, port, module, authType, settings(endpoint)));
    apache = await startServer('apache2', ['-d', folder, '-f', file, '-DFOREGROUND'], {
      env: { PATH: searchPath() },
      // It ends all processes of its group, so it gets a group of its own.
      detached: true,
      log: join(folder, 'apache.log'),
      answers: () => fetch(url).catch(() => undefined),
    });
  });
  afterAll(async () => {
    await apache.end();
    tls.close();
    tls.closeAllConnections();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('refuses a key from the request on that follows its revocation', async () => {
    const { apiKey, fullKey } = await owner.person.newKey();
    const get = async () => (await fetch(url, { headers: { authorization: `Bearer ${fullKey}` } })).status;
    expect([await get(), await get()]).toEqual([200, 200]);
    await owner.person.revoke(apiKey.id);
    expect([await get(), await get()]).toEqual([401, 401]);
  });
});

function configuration(folder: string, port: number, module: string, authType: string, settings: readonly string[]) {
  const loaded = ['mpm_prefork', 'authn_core', 'authz_core', 'authz_user', 'dir', module];
  return [
    'ServerName localhost',
    `Listen 127.0.0.1:${port}`,
    `PidFile ${folder}/httpd.pid`,
    'ErrorLog /dev/null',
    // Of its processes, if root starts it.
    'User nobody',
    'Group nogroup',
    `DocumentRoot ${folder}/www`,
    ...loaded.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
    ...(module === 'auth_openidc' ? settings : []),
    '<Location />',
    `AuthType ${authType}`,
    ...(module === 'auth_openidc' ? [] : settings),
    'Require valid-user',
    '</Location>',
    '',
  ].join('\n');
}

/** Apache calls an introspection endpoint over TLS alone. */
async function behindTls({ url }: Service, folder: string): Promise<Server> {
  const { keyFile, certFile } = await selfSigned(folder, 'tls');
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (from, to) => {
    const { method, headers } = from;
    const onward = request(new URL(from.url!, url), { method, headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    from.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
