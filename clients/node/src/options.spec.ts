import { describe, expect, it } from '@jest/globals';
import { createGuard } from './guard.js';
import { assertUsable } from './options.js';

const usable = { target: '127.0.0.1:1', serviceToken: 'token' };

describe('assertUsable', () => {
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
