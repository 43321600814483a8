import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

const PEER = '127.0.0.1';
const from = (differences: object) => ({ rawHeaders: [], socket: { remoteAddress: PEER }, ...differences });

describe('clientAddress', () => {
  it('is the peer if nobody forwarded the request', () => {
    expect(clientAddress(from({}))).toBe(PEER);
    expect(clientAddress(from({ ip: PEER, ips: [] }))).toBe(PEER);
    expect(clientAddress(from({ socket: {} }))).toBe('');
  });

  it.each(['X-Forwarded-For', 'x-forwarded-for', 'Forwarded', 'X-Real-IP'])(
    'is unknown if the framework trusts nobody and the request has %s',
    (name) => {
      const rawHeaders = ['Host', 'x', name, '192.0.2.1'];
      for (const ips of [undefined, [], null, '192.0.2.1']) {
        expect(clientAddress(from({ rawHeaders, ip: PEER, ips }))).toBe('');
      }
      expect(clientAddress(from({ rawHeaders: [name, ''], ip: PEER }))).toBe('');
    },
  );

  it.each([{ rawHeaders: [] as string[] }, { rawHeaders: undefined! }])(
    'is unknown with such a header in headers alone: %j',
    (adapted) => {
      const headers = { 'x-forwarded-for': '192.0.2.1' };
      expect(clientAddress(from({ ...adapted, headers }))).toBe('');
      expect(clientAddress(from({ ...adapted, headers: { host: 'x' } }))).toBe(PEER);
    },
  );

  it('is not unknown because a value reads like the name of such a header', () => {
    expect(clientAddress(from({ rawHeaders: ['Via', 'Forwarded'] }))).toBe(PEER);
  });

  it('is the address of the framework if it trusts the proxy, whatever else the request claims', () => {
    const rawHeaders = ['X-Forwarded-For', '192.0.2.1', 'Forwarded', 'for=192.0.2.9', 'X-Real-IP', '192.0.2.9'];
    expect(clientAddress(from({ rawHeaders, ip: '192.0.2.1', ips: ['192.0.2.1'] }))).toBe('192.0.2.1');
  });

  it.each(['unknown', '', '192.0.2.1:', '[2001:db8::1]:x', '[]', '_hidden', '192.0.2.256', '1'.repeat(10_000)])(
    'is unknown, and not the peer, if the trusted proxy names %j',
    (ip) => expect(clientAddress(from({ rawHeaders: ['X-Forwarded-For', ip], ip, ips: [ip] }))).toBe(''),
  );

  it.each([
    ['192.0.2.1:8080', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ])('is without the port that some gateways add: %j', (ip, address) => {
    expect(clientAddress(from({ rawHeaders: ['X-Forwarded-For', ip], ip, ips: [ip] }))).toBe(address);
  });

  it('normalises an IPv4-mapped address and drops the zone of a link-local one', () => {
    const addressOf = (remoteAddress: string) => clientAddress(from({ socket: { remoteAddress } }));
    expect(addressOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf('::FFFF:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf('fe80::1%eth0')).toBe('fe80::1');
    expect(addressOf('2001:db8::1')).toBe('2001:db8::1');
  });

  it('is what the option of the guard finds, and unknown if that is not one address', () => {
    const rawHeaders = ['CF-Connecting-IP', '192.0.2.1', 'X-Forwarded-For', '192.0.2.9'];
    const request = from({ rawHeaders, ip: PEER });
    expect(clientAddress(request, ({ rawHeaders: [, found] }) => found)).toBe('192.0.2.1');
    for (const found of [undefined, null, '', 'unknown', ['192.0.2.1'], ['192.0.2.1', '192.0.2.2']]) {
      expect(clientAddress(request, () => found)).toBe('');
    }
    const failing = () => {
      throw new Error('no such header');
    };
    expect(clientAddress(request, failing)).toBe('');
  });
});
