import { describe, expect, it } from '@jest/globals';
import { callHook, withoutCredentials } from './hooks.js';

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
