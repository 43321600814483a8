import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { type Guard, createGuard } from './guard.js';
import type { DenialEvent, FailureEvent } from './hooks.js';
import type { GuardOptions } from './options.js';
import { denied, granted } from './testing/answers.js';
import { eventually } from './testing/eventually.js';
import { ScriptedLatchkey } from './testing/scripted-latchkey.js';

const key = `lk_${'a'.repeat(24)}.${'b'.repeat(64)}`;
const question = {
  authorization: [`Bearer ${key}`],
  method: 'PATCH',
  permission: 'systems:write',
  clientIp: '192.0.2.1',
  userAgent: 'curl/8',
  requestId: 'request-1',
};

const latchkey = new ScriptedLatchkey();
let denials: DenialEvent[];
let failures: FailureEvent[];
let guard: Guard;

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

describe('createGuard', () => {
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
