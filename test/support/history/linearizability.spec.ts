import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findViolation, type Operation } from './linearizability.js';
import { INITIAL, type OwnerAction, type OwnerState, step } from './owner-model.js';

const READ = ['systems:read'];
const BOTH = ['systems:read', 'systems:write'];
const NEVER = Infinity;

/** A call and its answer, with both times. */
const at = (invokedAt: number, answeredAt: number, action: OwnerAction): Operation => ({
  invokedAt,
  answeredAt,
  action,
});
const put = (permissions: string[], plan?: string): OwnerAction => ({
  kind: 'put',
  permissions,
  plan,
  answer: { status: 'active', permissions, plan: plan ?? '' },
});
const suspend: OwnerAction = { kind: 'suspend', answer: { status: 'suspended', permissions: READ, plan: '' } };
const reactivate: OwnerAction = { kind: 'reactivate', answer: { status: 'active', permissions: READ, plan: '' } };
const create = (keyId: string): OwnerAction => ({ kind: 'create', answer: { keyId } });
const revoke: OwnerAction = { kind: 'revoke', keyId: 'k1', answer: 'revoked' };
const validated = (answer: (OwnerAction & { kind: 'validate' })['answer'], permission = ''): OwnerAction => ({
  kind: 'validate',
  keyId: 'k1',
  permission,
  answer,
});
const granted = (permissions = READ, plan = '') => validated({ granted: { keyId: 'k1', permissions, plan } });
const denied = (reason: string, permission = '') => validated({ denied: `REASON_${reason}` }, permission);

/** An owner with the permission to read and one key. */
const BEGINNING = [at(1, 2, put(READ)), at(3, 4, create('k1'))];
/** The calls since then. @returns what is unexplained */
const check = (...operations: Operation[]) => findViolation([...BEGINNING, ...operations])?.unexplained.action;

describe('findViolation', () => {
  test('refuses a grant after an answered revoke', () => {
    expect(check(at(10, 20, revoke), at(21, 30, granted()))).toEqual(granted());
  });
  test('refuses a second grant of a revoked key, when the revoke was never answered', () => {
    const unanswered: OwnerAction = { kind: 'revoke', keyId: 'k1' };
    expect(check(at(10, NEVER, unanswered), at(11, 20, denied('REVOKED')), at(21, 30, granted()))).toEqual(granted());
  });
  test('refuses a second grant of a revoked key, while the revoke is not answered yet', () => {
    expect(check(at(10, 99, revoke), at(11, 20, denied('REVOKED')), at(21, 30, granted()))).toEqual(granted());
  });
  test('refuses stale permissions after an answered PutAccount', () => {
    expect(check(at(10, 20, put(BOTH)), at(21, 30, granted(READ)))).toEqual(granted(READ));
  });
  test('refuses a stale plan, and more than a read-only plan allows', () => {
    const limited = at(10, 20, put(BOTH, 'read-only 1'));
    expect(check(limited, at(21, 30, granted(READ, 'read-only 1')))).toBeUndefined();
    for (const wrong of [granted(READ), granted(BOTH, 'read-only 1'), create('k2')]) {
      expect(check(limited, at(21, 30, wrong))).toEqual(wrong);
    }
  });
  test('refuses permissions that were never set', () => {
    expect(check(at(10, 30, put(BOTH)), at(11, 20, granted(['systems:write'])))).toBeDefined();
  });
  test('refuses a missing permission after an answered PutAccount that set it', () => {
    const missed = denied('MISSING_PERMISSION', 'systems:write');
    expect(check(at(10, 20, put(BOTH)), at(21, 30, missed))).toEqual(missed);
  });
  test('refuses two changes seen in different orders', () => {
    const changes = [at(10, 99, put(BOTH)), at(11, 98, put(['other:read']))];
    const seen = [['other:read'], BOTH, ['other:read']].map((now, n) => at(20 + 2 * n, 21 + 2 * n, granted(now)));
    expect(check(...changes, ...seen)).toEqual(granted(['other:read']));
  });
  test('refuses a grant while suspended', () => {
    expect(check(at(10, 20, suspend), at(21, 30, granted()), at(31, 40, reactivate))).toEqual(granted());
  });
  test('refuses a denial as suspended after an answered reactivation', () => {
    const late = denied('OWNER_SUSPENDED');
    expect(check(at(10, 20, suspend), at(21, 30, reactivate), at(31, 40, late))).toEqual(late);
  });
  test('refuses a denial of a key as unknown after its creation was answered', () => {
    expect(check(at(10, 20, denied('INVALID_KEY')))).toBeDefined();
  });
  const rotate = (keyId: string, next: string, hasGrace = false): OwnerAction => ({
    kind: 'rotate',
    keyId,
    hasGrace,
    answer: { keyId: next },
  });
  const used = (keyId: string): OwnerAction => ({
    kind: 'validate',
    keyId,
    mayBeFirst: true,
    permission: '',
    answer: { granted: { keyId, permissions: READ, plan: '' } },
  });
  test('refuses a grant of the old key after one of its successor, where there is no grace period', () => {
    const begun = at(10, 11, rotate('k1', 'k2'));
    expect(check(begun, at(20, 21, granted()), at(22, 23, used('k2')), at(24, 25, granted()))).toEqual(granted());
    expect(check(begun, at(20, 30, used('k2')), at(21, 22, denied('REVOKED')), at(23, 24, granted()))).toEqual(
      granted(),
    );
    const withGrace = at(10, 11, rotate('k1', 'k2', true));
    expect(check(withGrace, at(22, 23, used('k2')), at(24, 25, granted()))).toBeUndefined();
  });
  test('refuses the end of an old key without a first use of its successor, and the use of a cancelled successor', () => {
    const begun = at(10, 11, rotate('k1', 'k2'));
    expect(check(begun, at(20, 21, denied('REVOKED')))).toEqual(denied('REVOKED'));
    const unanswered: OwnerAction = { kind: 'validate', keyId: 'k2', mayBeFirst: true, permission: '' };
    expect(check(begun, at(20, NEVER, unanswered), at(22, 23, denied('REVOKED')))).toBeUndefined();
    const cancelled = at(14, 15, { kind: 'revoke', keyId: 'k2', answer: 'revoked' });
    expect(check(begun, cancelled, at(20, 21, used('k2')))).toEqual(used('k2'));
    expect(check(begun, cancelled, at(20, 21, granted()))).toBeUndefined();
  });
  test('refuses a second rotation of one key, or a pair that counts as two', () => {
    const begun = at(10, 11, rotate('k1', 'k2', true));
    expect(check(begun, at(20, 21, rotate('k1', 'k3')))).toEqual(rotate('k1', 'k3'));
    const more = ['k3', 'k4', 'k5', 'k6'].map((id, n) => at(20 + 2 * n, 21 + 2 * n, create(id)));
    expect(check(begun, ...more)).toBeUndefined();
    const full: OwnerAction = { kind: 'create', answer: 'too_many_active_keys' };
    expect(check(begun, ...more.slice(1), at(40, 41, full))).toEqual(full);
  });
  test('refuses a sixth active key, or a cap before there are five', () => {
    const more = ['k2', 'k3', 'k4', 'k5'].map((id, n) => at(10 + 2 * n, 11 + 2 * n, create(id)));
    const full: OwnerAction = { kind: 'create', answer: 'too_many_active_keys' };
    expect(check(...more, at(30, 31, full))).toBeUndefined();
    expect(check(...more, at(30, 31, create('k6')))).toEqual(create('k6'));
    expect(check(...more.slice(1), at(30, 31, full))).toEqual(full);
  });
  test('refuses an account with permissions that it no longer had', () => {
    expect(check(at(10, 20, put(BOTH)), at(21, 30, suspend))).toEqual(suspend);
  });

  test('accepts a grant and then a denial during a revoke', () => {
    expect(check(at(10, 20, revoke), at(11, 12, granted()), at(13, 14, denied('REVOKED')))).toBeUndefined();
  });
  test('accepts a grant answered after a revoke that began before it', () => {
    expect(check(at(9, 30, granted()), at(10, 20, revoke))).toBeUndefined();
  });
  test('accepts an unanswered suspension that takes effect late', () => {
    const unanswered: OwnerAction = { kind: 'suspend' };
    const later = [at(11, 12, granted()), at(13, 14, denied('OWNER_SUSPENDED')), at(15, 16, reactivate)];
    expect(check(at(5, NEVER, unanswered), ...later, at(17, 18, granted()))).toBeUndefined();
  });
  test('accepts a cap that is reached by an unanswered creation', () => {
    const more = ['k2', 'k3', 'k4'].map((id, n) => at(10 + 2 * n, 11 + 2 * n, create(id)));
    expect(
      check(at(5, NEVER, { kind: 'create' }), ...more, at(30, 31, { kind: 'create', answer: 'too_many_active_keys' })),
    ).toBe(undefined);
  });
});

/** Implements the definition directly: tries every order of every choice of unanswered calls. */
function isExplainedBySomeOrder(state: OwnerState, left: readonly Operation[]): boolean {
  if (left.every(({ answeredAt }) => answeredAt === NEVER)) return true;
  return left.some((next) => {
    // A call that was answered before another was made takes effect before it.
    if (left.some(({ answeredAt }) => answeredAt < next.invokedAt)) return false;
    const after = step(state, next.action);
    return (
      after !== undefined &&
      isExplainedBySomeOrder(
        after,
        left.filter((other) => other !== next),
      )
    );
  });
}

const anyAction = fc.constantFrom<OwnerAction>(
  put(READ),
  put(BOTH),
  { kind: 'put', permissions: BOTH },
  suspend,
  { kind: 'suspend' },
  reactivate,
  { kind: 'reactivate' },
  revoke,
  { kind: 'revoke', keyId: 'k1' },
  { kind: 'revoke', keyId: 'k1', answer: 'api_key_not_active' },
  { kind: 'revoke', keyId: 'k1', answer: 'unauthenticated' },
  { kind: 'create', answer: 'unauthenticated' },
  { kind: 'get', answer: { status: 'suspended', permissions: BOTH, plan: '' } },
  granted(),
  granted(BOTH),
  denied('REVOKED'),
  denied('OWNER_SUSPENDED'),
  denied('MISSING_PERMISSION', 'systems:write'),
);
const anyHistory = fc
  .array(fc.tuple(anyAction, fc.nat(20), fc.nat(12)), { minLength: 1, maxLength: 7 })
  .map((calls) =>
    calls.map(([action, from, length], n) =>
      at(10 + from + n / 10, action.answer === undefined ? NEVER : 10 + from + length + n / 10 + 0.05, action),
    ),
  );

test('findViolation agrees with the definition on every small history', () => {
  const verdicts = { true: 0, false: 0 };
  fc.assert(
    fc.property(anyHistory, (history) => {
      const isExplained = isExplainedBySomeOrder(INITIAL, [...BEGINNING, ...history]);
      verdicts[`${isExplained}`] += 1;
      expect(check(...history) === undefined).toBe(isExplained);
    }),
    { numRuns: 1000 },
  );
  // Both results must be frequent, or the comparison would prove little.
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(100);
});
