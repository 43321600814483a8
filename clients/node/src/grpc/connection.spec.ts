import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServerCredentials } from '@grpc/grpc-js';
import { type Guard, createGuard } from '../guard.js';
import type { GuardTls } from '../options.js';
import { granted } from '../testing/answers.js';
import * as pem from '../testing/certificates.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';
import { TcpRelay } from '../testing/tcp-relay.js';

const question = { authorization: ['Bearer k'], method: 'GET' };
const serverPair = { private_key: Buffer.from(pem.serverKey), cert_chain: Buffer.from(pem.serverCertificate) };
const { authority: ca, clientCertificate: cert, clientKey: key } = pem;

describe('the connection to the service', () => {
  const latchkey = new ScriptedLatchkey();
  const guards: Guard[] = [];
  const open = (options: Partial<Parameters<typeof createGuard>[0]>) => {
    const guard = createGuard({ target: latchkey.target, serviceToken: 'token', deadlineMs: 5000, ...options });
    guards.push(guard);
    return guard;
  };

  beforeEach(() => latchkey.answers(granted()));
  afterEach(() => {
    for (const guard of guards.splice(0)) guard.close();
    latchkey.stop();
  });

  it('uses TLS, and only with a service that it trusts', async () => {
    await latchkey.start(ServerCredentials.createSsl(null, [serverPair]));
    expect(await open({ tls: { ca } }).check(question)).toMatchObject({ allowed: true });
    expect(await open({ tls: {} }).check(question)).toMatchObject({ status: 503 });
    expect(await open({}).check(question)).toMatchObject({ status: 503 });
  });

  it('presents its own certificate instead of a service token', async () => {
    await latchkey.start(ServerCredentials.createSsl(Buffer.from(ca), [serverPair], true));
    const identity: GuardTls = { ca: Buffer.from(ca), cert, key };
    expect(await open({ tls: identity, serviceToken: undefined }).check(question)).toMatchObject({ allowed: true });
    expect(latchkey.identities.at(-1)).toBeUndefined();
    expect(await open({ tls: { ca } }).check(question)).toMatchObject({ status: 503 });
  });

  it('notices a peer that disappeared without closing, and reconnects', async () => {
    await latchkey.start();
    const relay = await TcpRelay.to(latchkey.port);
    const guard = open({
      target: relay.target,
      deadlineMs: 200,
      channelOptions: { 'grpc.keepalive_time_ms': 100, 'grpc.keepalive_timeout_ms': 100 },
    });
    await eventually(async () => (await guard.check(question)).allowed);
    relay.cut();
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    relay.mend();
    await eventually(async () => (await guard.check(question)).allowed);
    relay.close();
  });
});
