import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { type ChannelCredentials, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ExtAuthz } from '../doors/support/ext-authz.js';
import { type Clients, connectClients } from '../support/callers/grpc-clients.js';
import { routesFile } from '../support/callers/forward-auth.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { type Service, startService } from '../support/processes/service.js';
import { selfSigned } from '../support/processes/certificate.js';

describe('gRPC over TLS', () => {
  /** A certificate authority, made with openssl. */
  class Authority {
    readonly cert: string;
    private readonly folder: string;

    constructor(base: string, name: string) {
      this.folder = mkdtempSync(join(base, `${name}-`));
      this.cert = this.file('ca.crt');
      const files = ['-keyout', this.file('ca.key'), '-out', this.cert];
      openssl('req', '-x509', ...NEW_KEY, ...files, '-subj', `/CN=${name}`, '-days', '2');
    }

    /** @param san lines of openssl's extension section */
    issue(name: string, commonName: string, san: string[] = []): { cert: string; key: string } {
      const [cert, key, request, config] = ['crt', 'key', 'csr', 'cnf'].map((end) => this.file(`${name}.${end}`));
      openssl('req', ...NEW_KEY, '-keyout', key!, '-out', request!, '-subj', `/CN=${commonName}`);
      const names = san.length > 0 ? ['subjectAltName=@names', '[names]', ...san] : ['basicConstraints=CA:FALSE'];
      writeFileSync(config!, ['[extensions]', ...names, ''].join('\n'));
      const by = ['-CA', this.cert, '-CAkey', this.file('ca.key'), '-CAcreateserial', '-days', '2'];
      openssl('x509', '-req', '-in', request!, '-out', cert!, ...by, '-extfile', config!, '-extensions', 'extensions');
      return { cert: cert!, key: key! };
    }

    private file(name: string): string {
      return join(this.folder, name);
    }
  }

  const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  function openssl(...args: string[]): void {
    const { status: code, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (code !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  }

  let folder: string;
  let platform: Authority;
  let stranger: Authority;
  let service: Service;
  const open: Clients[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tls-'));
    platform = new Authority(folder, 'platform');
    stranger = new Authority(folder, 'stranger');
    const server = platform.issue('server', 'latchkey', ['IP.1 = 127.0.0.1', 'DNS.1 = localhost']);
    service = await startService({
      EXT_AUTHZ_ROUTES: 'on',
      FORWARD_AUTH_ROUTES: routesFile(),
      GRPC_TLS_CERT: server.cert,
      GRPC_TLS_KEY: server.key,
      GRPC_TLS_CLIENT_CA: platform.cert,
      GRPC_TLS_CLIENT_ROLES:
        'gateway.internal:validator,spiffe://latchkey/platform:accounts,legacy:validator,legacy:accounts',
    });
  });
  afterAll(async () => {
    open.splice(0).forEach((clients) => clients.close());
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function connect(security: ChannelCredentials, tokens?: { validator: string; admin: string }): Clients {
    const clients = connectClients(service.grpcTarget, tokens, security);
    open.push(clients);
    return clients;
  }
  const NO_TOKENS = { validator: '', admin: '' };
  const trusting = (pair?: { cert: string; key: string }) =>
    credentials.createSsl(
      readFileSync(platform.cert),
      pair ? readFileSync(pair.key) : null,
      pair ? readFileSync(pair.cert) : null,
    );
  /** The status of a call for each role, by a client with only its certificate. */
  async function rolesOf(pair?: { cert: string; key: string }): Promise<Record<string, number>> {
    const clients = connect(trusting(pair), NO_TOKENS);
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => status.OK,
        (error: { code: number }) => error.code,
      );
    const validator = await codeOf(clients.validate(unknownKey()));
    const envoy = new ExtAuthz(service.grpcTarget, new Metadata(), trusting(pair));
    // Envoy needs the same role as a resource service, because its calls have the same effect.
    expect(await codeOf(envoy.pass({}, { permission: '' }))).toBe(validator);
    expect(await codeOf(envoy.pass({}, {}))).toBe(validator);
    envoy.close();
    return {
      validator,
      accounts: await codeOf(clients.account('GetAccount', 'demo')),
    };
  }
  const { OK, PERMISSION_DENIED, UNAUTHENTICATED } = status;

  test.each([
    ['a DNS name', 'whatever', ['DNS.1 = gateway.internal'], { validator: OK, accounts: PERMISSION_DENIED }],
    ['a URI', 'whatever', ['URI.1 = spiffe://latchkey/platform'], { validator: PERMISSION_DENIED, accounts: OK }],
    ['a common name with two roles', 'legacy', [], { validator: OK, accounts: OK }],
    [
      'a DNS name and a URI',
      'whatever',
      ['DNS.1 = other', 'DNS.2 = gateway.internal', 'URI.1 = spiffe://latchkey/platform'],
      { validator: OK, accounts: OK },
    ],
  ])('identifies a client by %s in its certificate', async (name, commonName, san, expected) => {
    expect(await rolesOf(platform.issue(`good-${name.length}`, commonName, san))).toEqual(expected);
  });

  test.each([
    ['a name that has no role', 'nobody', []],
    ['a common name, when the certificate also has alternative names', 'legacy', ['DNS.1 = other.internal']],
    ['a name within a name', 'nobody', ['URI.1 = x, DNS:gateway.internal']],
    ['a subdomain', 'nobody', ['DNS.1 = a.gateway.internal']],
    ['a wildcard', 'nobody', ['DNS.1 = *.internal']],
    ['an email address', 'nobody', ['email.1 = legacy']],
  ])('does not identify a client by %s', async (name, commonName, san) => {
    const nobody = { validator: UNAUTHENTICATED, accounts: UNAUTHENTICATED };
    expect(await rolesOf(platform.issue(`bad-${name.length}`, commonName, san))).toEqual(nobody);
  });

  test('does not accept the certificate of another authority', async () => {
    const roles = await rolesOf(stranger.issue('gateway', 'legacy', []));
    // Refused at the handshake or, since certificates are optional, because it has no role. Never admitted.
    for (const code of Object.values(roles)) expect([UNAUTHENTICATED, status.UNAVAILABLE]).toContain(code);
  });

  test('requires a certificate or a token', async () => {
    expect(await rolesOf()).toEqual({ validator: UNAUTHENTICATED, accounts: UNAUTHENTICATED });
    const clients = connect(trusting());
    expect((await clients.validate(unknownKey())).denial?.reason).toBe('REASON_INVALID_KEY');
    expect((await clients.account('GetAccount', 'demo')).id).toBe('demo');
  });

  test('combines the roles of a certificate and of a token', async () => {
    const pair = platform.issue('adding', 'whatever', ['DNS.1 = gateway.internal']);
    const clients = connect(trusting(pair), { validator: '', admin: 'dev-accounts-token' });
    expect((await clients.validate(unknownKey())).denial?.reason).toBe('REASON_INVALID_KEY');
    expect((await clients.account('GetAccount', 'demo')).id).toBe('demo');
  });

  test('does not answer a client that uses plain text or trusts another authority', async () => {
    for (const security of [credentials.createInsecure(), credentials.createSsl(readFileSync(stranger.cert))]) {
      await expect(connect(security).validate(unknownKey())).rejects.toMatchObject({ code: status.UNAVAILABLE });
    }
    expect((await connect(trusting()).validate(unknownKey())).denial).toBeTruthy();
  });
});

describe('the services as JSON over TLS', () => {
  let folder: string;
  let service: Service;
  let client: { keyFile: string; certFile: string };
  let stranger: { keyFile: string; certFile: string };
  let ca: Buffer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'json-tls-'));
    const server = await selfSigned(folder, 'server');
    client = await selfSigned(folder, 'client', 'gateway.internal');
    stranger = await selfSigned(folder, 'stranger', 'gateway.internal');
    ca = readFileSync(server.certFile);
    service = await startService({
      GRPC_TLS_CERT: server.certFile,
      GRPC_TLS_KEY: server.keyFile,
      GRPC_TLS_CLIENT_CA: client.certFile,
      GRPC_TLS_CLIENT_ROLES: 'gateway.internal:validator',
    });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a caller with this certificate is answered, without a token unless one is given. */
  async function ask(pair?: { keyFile: string; certFile: string }, authorization?: string) {
    const identity = pair && { key: readFileSync(pair.keyFile), cert: readFileSync(pair.certFile) };
    const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
    const path = '/latchkey.v1.ApiKeyService/ValidateKey';
    const { port } = new URL(service.servicesUrl);
    const options = {
      host: 'localhost',
      family: 4,
      port,
      path,
      method: 'POST',
      headers,
      ca,
      agent: false,
      ...identity,
    };
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const sent = request(options, resolve).on('error', reject);
      sent.end('{"apiKey":"x","operation":"OPERATION_READ"}');
    });
    return [answer.statusCode, await json(answer)];
  }

  test('know a caller by its certificate or its token, and nobody by the certificate of a stranger', async () => {
    const denied = { denial: { reason: 'REASON_INVALID_KEY' } };
    expect(await ask(client)).toMatchObject([200, denied]);
    expect(await ask(undefined, 'Bearer dev-validator-token')).toMatchObject([200, denied]);
    expect(await ask(stranger)).toMatchObject([401, { code: 'unauthenticated' }]);
    expect(await ask()).toMatchObject([401, { code: 'unauthenticated' }]);
  });

  test('answer nobody in plain text', async () => {
    await expect(fetch(service.servicesUrl)).rejects.toThrow('fetch failed');
  });
});
