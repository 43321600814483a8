import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

function addressOf(ip: unknown, remoteAddress: string | undefined): string {
  return clientAddress({ ip, socket: { remoteAddress } });
}

describe('clientAddress', () => {
  it('prefers the address of the framework to that of the socket', () => {
    expect(addressOf('192.0.2.1', '127.0.0.1')).toBe('192.0.2.1');
    expect(addressOf(undefined, '127.0.0.1')).toBe('127.0.0.1');
    expect(addressOf(undefined, undefined)).toBe('');
  });

  it('normalises an IPv4-mapped address and drops the zone of a link-local one', () => {
    expect(addressOf('::ffff:192.0.2.1', undefined)).toBe('192.0.2.1');
    expect(addressOf('::FFFF:192.0.2.1', undefined)).toBe('192.0.2.1');
    expect(addressOf('fe80::1%eth0', undefined)).toBe('fe80::1');
    expect(addressOf('2001:db8::1', undefined)).toBe('2001:db8::1');
  });

  it('uses the address of the socket if the framework has an invalid one', () => {
    expect(addressOf('unknown', '127.0.0.1')).toBe('127.0.0.1');
    expect(addressOf(`${'1'.repeat(10_000)}`, '127.0.0.1')).toBe('127.0.0.1');
  });
});
