import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServerCredentials, status } from '@grpc/grpc-js';
import { createGuard, type Guard } from '../guard.js';
import type { FailureEvent } from '../hooks.js';
import type { GuardTls } from '../options.js';
import { granted } from '../testing/answers.js';
import * as pem from '../testing/certificates.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';
import { TcpRelay } from '../testing/tcp-relay.js';
import { channelOptions } from './connector.js';

const question = { authorization: ['Bearer k'], method: 'GET' };

describe('the connection to the service', () => {
  const serverPair = { private_key: Buffer.from(pem.serverKey), cert_chain: Buffer.from(pem.serverCertificate) };
  const { authority: ca, clientCertificate: cert, clientKey: key } = pem;

  const latchkey = new ScriptedLatchkey();
  const guards: Guard[] = [];
  const open = (options: Partial<Parameters<typeof createGuard>[0]>) => {
    const guard = createGuard({ ...latchkey.options, serviceToken: 'token', ...options });
    guards.push(guard);
    return guard;
  };

  beforeEach(() => latchkey.answers(granted()));
  afterEach(() => {
    jest.restoreAllMocks();
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

  it('reads a renewed certificate for the next connection, and names one that has ended', async () => {
    const server = ServerCredentials.createSsl(Buffer.from(ca + pem.endedCertificate), [serverPair], true);
    await latchkey.start(server);
    const failures: FailureEvent[] = [];
    let files = (): GuardTls => ({ ca, cert: pem.endedCertificate, key });
    const onError = (failure: FailureEvent) => failures.push(failure);
    const guard = open({ tls: () => files(), serviceToken: undefined, onError });
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(failures[0]!.message).toMatch(/; tls\.cert \(CN=systems-api\) ended on 2026-11-20T00:00:00\.000Z$/);

    files = () => ({ ca, cert, key });
    await eventually(async () => (await guard.check(question)).allowed);

    // Caught between two files, the guard keeps the pair that it had, and says so once it matters.
    files = () => ({ ca, cert, key: pem.serverKey });
    latchkey.stop();
    await latchkey.start(server);
    await eventually(async () => (await guard.check(question)).allowed);
    latchkey.script = (_, reply) => reply({ code: status.UNAVAILABLE, details: 'away' });
    await eventually(async () => {
      await guard.check(question);
      return /; tls could not be read again: .*mismatch/.test(failures.at(-1)!.message);
    });
  });

  it.each([undefined, null, 'PEM', Promise.resolve({})])('refuses a function for tls that returns %j', (tls) => {
    expect(() => open({ tls: () => tls as never })).toThrow(
      /^createGuard: tls\(\) did not return \{ ca\?, cert\?, key\? \}/,
    );
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

  it('makes another connection if a peer is silent, even to new connections, and then forwards again', async () => {
    await latchkey.start();
    const relay = await TcpRelay.to(latchkey.port);
    const guard = open({ target: relay.target, deadlineMs: 200, channelOptions: {} });
    await eventually(async () => (await guard.check(question)).allowed);
    relay.silence();
    // Both try to connect again, and neither gets an answer.
    await eventually(() => relay.silencedConnections >= 2);
    relay.mend();
    await eventually(async () => (await guard.check(question)).allowed);
    relay.close();
    expect(channelOptions['grpc.keepalive_time_ms']! + channelOptions['grpc.keepalive_timeout_ms']!).toBeLessThan(2000);
  });

  it('ends a replaced stream, even if the service never answers what it carries', async () => {
    await latchkey.start();
    const [realTimeout, replacements] = [setTimeout, [] as (() => void)[]];
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
      // Only the replacement of a stream waits that long.
      if (ms >= 10_000 && ms <= 20_000) replacements.push(work);
      return realTimeout(work, ms);
    }) as typeof setTimeout);
    const guard = open({ deadlineMs: 1000 });
    await latchkey.hasStreamsOf(guard);
    latchkey.hangs();
    const answer = guard.check(question);
    await eventually(() => latchkey.questions.length === 1);
    const replaced = [...latchkey.streams];
    for (const replace of replacements) replace();
    expect(await answer).toMatchObject({ status: 503 });
    await eventually(() => !replaced.some((stream) => latchkey.streams.has(stream)));
  });

  it('opens its streams to two addresses where there are two, and works while one is silent', async () => {
    await latchkey.start();
    const relays = [await TcpRelay.to(latchkey.port), await TcpRelay.to(latchkey.port)];
    const [first, second] = relays as [TcpRelay, TcpRelay];
    const guard = open({ target: `ipv4:${first.target},${second.target}`, deadlineMs: 200, channelOptions: {} });
    const streamsBy = () =>
      relays.map((relay) => [...latchkey.streams].filter((s) => relay.carries(s.getPeer())).length);
    await eventually(() => isDeepStrictEqual(streamsBy(), [1, 1]));
    first.silence();
    await eventually(() => streamsBy()[1] === 2);
    await eventually(async () => (await guard.check(question)).allowed);
    second.silence();
    first.mend();
    await eventually(async () => (await guard.check(question)).allowed);
    for (const relay of relays) relay.close();
  });
});

describe('a request that the service refuses', () => {
  const away = { code: status.UNAVAILABLE, details: 'the database is away' };
  type Reply = Parameters<ScriptedLatchkey['script']>[1];

  const latchkey = new ScriptedLatchkey();
  let failures: FailureEvent[];
  let guard: Guard;

  async function open(deadlineMs = latchkey.options.deadlineMs): Promise<void> {
    const onError = (event: FailureEvent) => failures.push(event);
    guard = createGuard({ ...latchkey.options, serviceToken: 'token', deadlineMs, onError });
    await latchkey.hasStreamsOf(guard);
  }

  /** Answers the first request in this way, and grants all later ones. */
  function answerFirst(answer: (reply: Reply) => void): void {
    latchkey.script = (_, reply) => (latchkey.questions.length === 1 ? answer(reply) : reply(null, granted()));
  }

  beforeEach(async () => {
    failures = [];
    latchkey.answersByStream = undefined;
    latchkey.questions.length = 0;
    await latchkey.start();
  });

  afterEach(() => {
    jest.restoreAllMocks();
    guard.close();
    latchkey.stop();
  });

  it('is sent again after UNAVAILABLE, with the same request id and without an error', async () => {
    await open();
    answerFirst((reply) => reply(away));
    expect(await guard.check(question)).toMatchObject({ allowed: true });
    expect(latchkey.questions).toHaveLength(2);
    expect(new Set(latchkey.questions.map(({ requestId }) => requestId)).size).toBe(1);
    expect(failures).toEqual([]);
  });

  it('is sent twice at most, because each time may be charged to the key', async () => {
    await open();
    latchkey.script = (_, reply) => reply(away);
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(2);
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE', message: 'the database is away' }]);
  });

  it('is sent again on the other connection, which may lead to another instance', async () => {
    await open();
    const [broken] = latchkey.streams;
    latchkey.answersByStream = (stream, reply) => (stream === broken ? reply(away) : reply(null, granted()));
    for (let n = 0; n < 10; n += 1) expect(await guard.check(question)).toMatchObject({ allowed: true });
  });

  it.each([
    status.INTERNAL,
    status.UNKNOWN,
    status.CANCELLED,
    status.ABORTED,
    status.DEADLINE_EXCEEDED,
    status.RESOURCE_EXHAUSTED,
    status.UNAUTHENTICATED,
    status.INVALID_ARGUMENT,
  ])('is not sent again after gRPC status %d', async (code) => {
    await open();
    answerFirst((reply) => reply({ code, details: 'no' }));
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(1);
  });

  it('is not sent again when a second answer as slow as the first would come after the deadline', async () => {
    await open(60_000);
    const realNow = performance.now.bind(performance);
    answerFirst((reply) => {
      jest.spyOn(performance, 'now').mockImplementation(() => realNow() + 31_000);
      reply(away);
    });
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(1);
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE' }]);
  });

  it('fails at the deadline of the first try, with the error of the first try', async () => {
    await open(2000);
    latchkey.script = (_, reply) => {
      if (latchkey.questions.length === 1) reply(away);
    };
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(2);
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE', message: 'the database is away' }]);
  });
});
