import { describe, expect, test } from '@jest/globals';
import { Log } from '../../telemetry/log.js';
import { type RefusedCall, RefusedCallers } from './service-identity.js';

const CALL: RefusedCall = { address: '10.1.2.3', call: 'ValidateKey', identities: [], sent: 'no service token' };

function subject() {
  const lines: string[] = [];
  const log = new Log('info', { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  return { callers: new RefusedCallers(log), lines };
}

describe('the log of refused callers', () => {
  test.each([
    [CALL, 'a caller at 10.1.2.3 sent no service token to ValidateKey: does it set its token'],
    [
      { ...CALL, sent: 'an unknown service token' },
      'a caller at 10.1.2.3 sent an unknown service token to ValidateKey',
    ],
    [{ ...CALL, sent: 'an unknown client certificate' }, 'sent an unknown client certificate to ValidateKey: GRPC_TLS'],
    [
      { ...CALL, sent: 'no service token or valid client certificate' },
      'does it set its token, or has its certificate ended',
    ],
    [
      { ...CALL, identities: [{ name: 'billing', role: 'accounts' }] },
      'the service identity "billing" at 10.1.2.3 has the role accounts and may not call ValidateKey',
    ],
    [{ ...CALL, address: undefined }, 'a caller at an unknown address sent no service token'],
  ] satisfies [RefusedCall, string][])('says who was refused and what to check: %j', (refused, line) => {
    const { callers, lines } = subject();
    callers.warn(refused);
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  test('warns once a minute about the same address and reason', () => {
    const { callers, lines } = subject();
    const other = { ...CALL, address: '10.1.2.4' };
    for (const refused of [CALL, CALL, other, other]) callers.warn(refused);
    expect(lines).toHaveLength(2);
  });
});
