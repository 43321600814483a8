import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { createGuard, type Guard } from './guard.js';
import { callHook, type DecisionEvent, type DenialEvent, type FailureEvent, withoutCredentials } from './hooks.js';
import { assertUsable, type GuardOptions } from './options.js';
import { denied, granted } from './testing/answers.js';
import { eventually } from './testing/eventually.js';
import { ScriptedLatchkey } from './testing/scripted-latchkey.js';
import { failureLog } from './failure-log.js';

const latchkey = new ScriptedLatchkey();
let guard: Guard;

describe('createGuard', () => {
  const key = `lk_${'a'.repeat(24)}.${'b'.repeat(64)}`;
  const question = {
    authorization: [`Bearer ${key}`],
    method: 'PATCH',
    permission: 'systems:write',
    clientIp: '192.0.2.1',
    userAgent: 'curl/8',
    requestId: 'request-1',
  };
  let denials: DenialEvent[];
  let failures: FailureEvent[];

  function open(options: Partial<GuardOptions> = {}): Guard {
    return createGuard({
      ...latchkey.options,
      serviceToken: 'dev-token',
      logFailures: false,
      onDenied: (event) => denials.push(event),
      onError: (event) => failures.push(event),
      ...options,
    });
  }

  beforeEach(async () => {
    denials = [];
    failures = [];
    latchkey.questions.length = 0;
    await latchkey.start();
    latchkey.answers(granted());
    guard = open();
  });

  afterEach(() => {
    guard.close();
    latchkey.stop();
  });

  it('sends the whole question with its service identity', async () => {
    await guard.check(question);
    expect(latchkey.identities.at(-1)).toBe('Bearer dev-token');
    expect(latchkey.questions).toEqual([
      {
        requestId: 'request-1',
        authorization: `Bearer ${key}`,
        credential: 'authorization',
        operation: 'OPERATION_WRITE',
        permission: 'systems:write',
        clientIp: '192.0.2.1',
        userAgent: 'curl/8',
        leaseWish: null,
      },
    ]);
  });

  it('sends a missing header as an empty authorization, so that it is recorded', async () => {
    latchkey.answers(denied());
    expect(await guard.check({ ...question, authorization: [] })).toMatchObject({ status: 401 });
    expect(latchkey.questions).toEqual([expect.objectContaining({ credential: 'authorization', authorization: '' })]);
  });

  it('calls onDenied with the reason and the owner, without the key', async () => {
    latchkey.answers(denied({ reason: 'REASON_REVOKED', keyId: 'key-1', ownerId: 'owner-1' }));
    await guard.check(question);
    expect(denials).toEqual([
      {
        status: 401,
        reason: 'REVOKED',
        keyId: 'key-1',
        ownerId: 'owner-1',
        operation: 'WRITE',
        permission: 'systems:write',
        clientIp: '192.0.2.1',
        requestId: 'request-1',
      },
    ]);
  });

  it('calls onError with the failure, and removes a key that the service quotes', async () => {
    latchkey.script = (_, reply) => reply({ code: status.UNAUTHENTICATED, details: `cannot validate ${key}` });
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(failures).toEqual([
      { code: 'UNAUTHENTICATED', message: 'cannot validate [redacted]', requestId: 'request-1' },
    ]);
  });

  it('writes the first failure to standard error, without the key, unless logFailures is false', async () => {
    latchkey.script = (_, reply) => reply({ code: status.UNAUTHENTICATED, details: `cannot validate ${key}` });
    const write = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const logging = createGuard({ ...latchkey.options, serviceToken: 'dev-token' });
    try {
      for (const each of [guard, logging, logging]) await each.check(question);
      expect(write.mock.calls).toEqual([[expect.stringContaining('UNAUTHENTICATED (cannot validate [redacted])')]]);
    } finally {
      logging.close();
      write.mockRestore();
    }
  });

  it.each([status.UNAVAILABLE, status.PERMISSION_DENIED, status.INVALID_ARGUMENT, status.NOT_FOUND, status.UNKNOWN])(
    'fails closed on gRPC status %d',
    async (code) => {
      latchkey.script = (_, reply) => reply({ code, details: 'no' });
      expect(await guard.check(question)).toMatchObject({ allowed: false, status: 503 });
    },
  );

  it('answers 503 within the deadline when the service hangs', async () => {
    latchkey.hangs();
    const hasty = open({ deadlineMs: 100 });
    expect(await hasty.check(question)).toMatchObject({ status: 503 });
    expect(failures).toEqual([expect.objectContaining({ code: 'DEADLINE_EXCEEDED' })]);
    hasty.close();
  });

  it('fails closed while the service is unavailable, and reconnects', async () => {
    await guard.check(question);
    latchkey.stop();
    await eventually(async () => !(await guard.check(question)).allowed);
    expect(await guard.check(question)).toMatchObject({ status: 503, reason: 'SERVICE_UNAVAILABLE' });
    await latchkey.start();
    await eventually(async () => (await guard.check(question)).allowed);
  });

  it('can start before the service', async () => {
    latchkey.stop();
    const early = open();
    expect(await early.check(question)).toMatchObject({ status: 503 });
    await latchkey.start();
    await eventually(async () => (await early.check(question)).allowed);
    early.close();
  });

  it('decides 503 after it is closed', async () => {
    guard.close();
    expect(await guard.check(question)).toMatchObject({ status: 503 });
  });
});

describe('the options of a guard', () => {
  const question = {
    authorization: ['Bearer k'],
    method: 'PATCH',
    permission: 'systems:write',
    requestId: 'request-1',
  };
  let decisions: DecisionEvent[];

  beforeAll(() => latchkey.start());
  afterAll(() => latchkey.stop());
  beforeEach(() => {
    decisions = [];
    latchkey.answers(granted());
    guard = createGuard({
      ...latchkey.options,
      serviceToken: 'token',
      operations: { PATCH: 'READ' },
      onDecision: (event) => decisions.push(event),
    });
  });
  afterEach(() => guard.close());

  it('calls onDecision with every decision and its latency, without the key', async () => {
    await guard.check(question);
    latchkey.answers(denied({ reason: 'REASON_READ_ONLY_KEY', httpStatus: 403 }));
    await guard.check(question);
    latchkey.answers({});
    await guard.check(question);
    const what = { operation: 'READ', permission: 'systems:write', requestId: 'request-1' };
    const latencyMs = expect.any(Number);
    expect(decisions).toEqual([200, 403, 503].map((status) => ({ status, ...what, latencyMs, source: 'service' })));
    expect(decisions.every(({ latencyMs }) => latencyMs > 0)).toBe(true);
  });

  it('derives the operation from its operations, unless the question names one', async () => {
    await guard.check(question);
    await guard.check({ ...question, operation: 'DESTROY' });
    const sent = latchkey.questions.map(({ operation }) => operation);
    expect(sent.slice(-2)).toEqual(['OPERATION_READ', 'OPERATION_DESTROY']);
  });
});

describe('assertUsable', () => {
  const usable = { target: '127.0.0.1:1', serviceToken: 'token' };

  it('accepts a service token or a client certificate', () => {
    expect(() => assertUsable(usable)).not.toThrow();
    expect(() => assertUsable({ target: 'x', tls: { cert: 'pem', key: 'pem' } })).not.toThrow();
  });

  it.each([
    ['target', { ...usable, target: '' }],
    ['serviceToken', { ...usable, serviceToken: '' }],
    ['serviceToken', { ...usable, serviceToken: undefined, tls: {} }],
    ['deadlineMs', { ...usable, deadlineMs: 0 }],
    ['deadlineMs', { ...usable, deadlineMs: Number.NaN }],
    ['deadlineMs', { ...usable, deadlineMs: Infinity }],
    ['clientAddress', { ...usable, clientAddress: '127.0.0.1' as never }],
  ])('refuses a missing or invalid %s', (name, options) => {
    expect(() => assertUsable(options)).toThrow(new RegExp(`^createGuard: ${name} `));
  });

  it('does not quote a service token that it refuses', () => {
    const attempt = () => createGuard({ ...usable, serviceToken: 'hush\nhush' });
    expect(attempt).toThrow('createGuard: serviceToken contains');
    expect(attempt).not.toThrow(/hush/);
  });
});

describe('callHook', () => {
  it('survives a hook that throws and one that rejects', async () => {
    const throws = () => {
      throw new Error('log is full');
    };
    callHook(throws, 1);
    callHook(async () => throws(), 1);
    // An unhandled rejection would end the process before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('accepts a missing hook', () => expect(() => callHook(undefined, 1)).not.toThrow());
});

describe('withoutCredentials', () => {
  it('removes the key wherever it is in a text', () => {
    const text = 'Bearer secretsecret? no: secretsecret';
    expect(withoutCredentials(text, 'Bearer secretsecret')).toBe('Bearer [redacted]? no: [redacted]');
  });

  it('removes both keys of two headers', () => {
    expect(withoutCredentials('aaaaaaaa bbbbbbbb', 'Bearer aaaaaaaa, Bearer bbbbbbbb')).toBe('[redacted] [redacted]');
  });
});

describe('the log of failures', () => {
  function subject(hasToken = true) {
    const lines: string[] = [];
    const clock = { nowMs: 0 };
    return {
      lines,
      clock,
      log: failureLog(
        hasToken,
        (line) => void lines.push(line),
        () => clock.nowMs,
      ),
    };
  }

  it.each([
    ['UNAUTHENTICATED', "SERVICE_TOKENS there needs the token's SHA-256"],
    ['PERMISSION_DENIED', 'needs the role validator'],
    ['UNAVAILABLE', 'does Latchkey run'],
    ['DEADLINE_EXCEEDED', 'did not answer within deadlineMs'],
    ['UNIMPLEMENTED', "is not Latchkey's gRPC port"],
    ['UNREADABLE_ANSWER', 'is the guard older than the service?'],
  ])('says for %s what to check', (code, check) => {
    const { lines, log } = subject();
    log({ code, message: 'the reason' });
    expect(lines).toEqual([expect.stringContaining(`a request was answered with 503: ${code} (the reason).`)]);
    expect(lines[0]).toContain(check);
  });

  it.each(['UNAUTHENTICATED', 'PERMISSION_DENIED'])('names the certificate for %s where no token is set', (code) => {
    const { lines, log } = subject(false);
    log({ code, message: 'the reason' });
    expect(lines).toEqual([expect.stringMatching(/\. .*tls\.cert.*GRPC_TLS_CLIENT_ROLES/)]);
    expect(lines[0]).not.toContain('serviceToken');
  });

  it('writes the first failure and then one line a minute with a count', () => {
    const { lines, clock, log } = subject();
    const fail = () => log({ code: 'INTERNAL', message: 'broken' });
    for (let n = 0; n < 5; n += 1) fail();
    expect(lines).toEqual(['[latchkey guard] a request was answered with 503: INTERNAL (broken).']);
    clock.nowMs = 60_000;
    fail();
    expect(lines[1]).toBe('[latchkey guard] 5 requests were answered with 503: INTERNAL (broken).');
    fail();
    expect(lines).toHaveLength(2);
  });
});
