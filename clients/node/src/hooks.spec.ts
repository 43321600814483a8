import { describe, expect, it } from '@jest/globals';
import { callHook, withoutCredentials } from './hooks.js';

describe('callHook', () => {
  it('survives a hook that throws and one that rejects', async () => {
    const throws = () => {
      throw new Error('log is full');
    };
    callHook(throws, 1);
    callHook(async () => throws(), 1);
    // A rejection that nobody handles would end the process before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('does without a hook', () => expect(() => callHook(undefined, 1)).not.toThrow());
});

describe('withoutCredentials', () => {
  it('takes the key out of a text, everywhere in it', () => {
    const text = 'Bearer secretsecret? no: secretsecret';
    expect(withoutCredentials(text, 'Bearer secretsecret')).toBe('Bearer [redacted]? no: [redacted]');
  });

  it('takes both keys of two headers out', () => {
    expect(withoutCredentials('aaaaaaaa bbbbbbbb', 'Bearer aaaaaaaa, Bearer bbbbbbbb')).toBe('[redacted] [redacted]');
  });
});
