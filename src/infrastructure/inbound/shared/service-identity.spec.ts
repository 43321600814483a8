import { hash } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import type { CertificateRole, ServiceToken } from '#config/service-roles.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { type Caller, ServiceIdentity } from './service-identity.js';

const TOKENS: ServiceToken[] = [{ name: 'billing', role: 'accounts', digest: hash('sha256', 'known', 'buffer') }];
const CERTIFICATES: CertificateRole[] = [{ name: 'gateway', role: 'validator' }];
const CALLER: Caller = { authorization: [], address: () => '10.1.2.3' };

function subject(certificates: CertificateRole[] = []) {
  const lines: string[] = [];
  const log = new Log('info', { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  const identity = new ServiceIdentity(TOKENS, certificates, log);
  const refuse = (caller: Caller) => {
    expect(() => identity.require(['validator'], caller, 'ValidateKey')).toThrow();
  };
  return { refuse, lines };
}

describe('the log of refused callers', () => {
  test.each<[caller: Caller, certificates: CertificateRole[], line: string]>([
    [CALLER, [], 'a caller at 10.1.2.3 sent no service token to ValidateKey: does it set its token'],
    [
      { ...CALLER, authorization: ['Bearer unknown'] },
      [],
      'a caller at 10.1.2.3 sent an unknown service token to ValidateKey',
    ],
    [
      { ...CALLER, certificate: () => ({ subject: { CN: 'stranger' } }) as PeerCertificate },
      CERTIFICATES,
      'sent an unknown client certificate to ValidateKey: GRPC_TLS',
    ],
    [CALLER, CERTIFICATES, 'does it set its token, or has its certificate ended'],
    [
      { ...CALLER, authorization: ['Bearer known'] },
      [],
      'the service identity "billing" at 10.1.2.3 has the role accounts and may not call ValidateKey',
    ],
    [{ authorization: [] }, [], 'a caller at an unknown address sent no service token'],
  ])('says who was refused and what to check: %#', (caller, certificates, line) => {
    const { refuse, lines } = subject(certificates);
    refuse(caller);
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  test('warns once a minute about the same address and reason', () => {
    const { refuse, lines } = subject();
    const other = { ...CALLER, address: () => '10.1.2.4' };
    for (const caller of [CALLER, CALLER, other, other]) refuse(caller);
    expect(lines).toHaveLength(2);
  });
});
