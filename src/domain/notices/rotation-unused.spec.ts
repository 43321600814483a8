import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { OwnerKeys } from '../keys/owner-keys.js';
import { DAY_MS } from '../time.js';
import { isRotationUnused } from './rotation-unused.js';

const BORN = new Date('2026-03-01T12:00:00Z');
const after = (days: number) => new Date(BORN.getTime() + days * DAY_MS);

function rotation() {
  const order = { id: randomUUID(), ownerId: 'ada', name: 'CI', access: 'read-only', expiresInDays: 30 } as const;
  const replaced = ApiKey.issue(order, KeyString.generate('lk'), BORN);
  const keys = new OwnerKeys([replaced]);
  const rotated = { id: randomUUID(), graceSeconds: 3600, expiresInDays: 20 };
  const successor = keys.rotate(replaced.id, rotated, KeyString.generate('lk'), BORN) as ApiKey;
  return { replaced, successor, keys };
}

describe('that a rotation is unused', () => {
  test.each([
    [0, false],
    [6.999, false],
    [7, true],
    [19.999, true],
    [20, false],
  ])('is to be told after %d days: %p', (days, expected) => {
    const { successor, replaced } = rotation();
    expect(isRotationUnused(successor, replaced, after(days))).toBe(expected);
  });

  test('is not to be told of a key that has been used', () => {
    const { successor, replaced, keys } = rotation();
    keys.firstUsed(successor.id, after(6.99));
    expect(isRotationUnused(successor, replaced, after(7))).toBe(false);
  });

  test.each(['successor', 'replaced'] as const)('is not to be told once the %s has ended', (which) => {
    const keys = rotation();
    keys[which].revoke(after(1));
    expect(isRotationUnused(keys.successor, keys.replaced, after(7))).toBe(false);
  });

  test('is not to be told of two keys of which one does not replace the other', () => {
    const { successor } = rotation();
    expect(isRotationUnused(successor, rotation().replaced, after(7))).toBe(false);
  });
});
