import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Guard, createGuard } from './guard.js';
import type { DecisionEvent } from './hooks.js';
import { denied, granted } from './testing/answers.js';
import { ScriptedLatchkey } from './testing/scripted-latchkey.js';

const question = { authorization: ['Bearer k'], method: 'PATCH', permission: 'systems:write', requestId: 'request-1' };
const latchkey = new ScriptedLatchkey();
let decisions: DecisionEvent[];
let guard: Guard;

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

describe('the options of a guard', () => {
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
