import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

const LATCHKEY_SERVICE_TOKEN = 'token';

describe('readConfig', () => {
  it('requires a service token and has defaults for the rest', () => {
    expect(readConfig({ LATCHKEY_SERVICE_TOKEN })).toEqual({
      host: '127.0.0.1',
      port: 4000,
      latchkeyTarget: '127.0.0.1:50051',
      serviceToken: 'token',
    });
  });

  it('reads the given values', () => {
    const env = { LATCHKEY_SERVICE_TOKEN, HOST: '::1', SYSTEMS_API_PORT: '0', LATCHKEY_GRPC_TARGET: 'latchkey:1' };
    expect(readConfig(env)).toMatchObject({ host: '::1', port: 0, latchkeyTarget: 'latchkey:1' });
  });

  it('names each bad variable in a separate line', () => {
    expect(() => readConfig({ SYSTEMS_API_PORT: 'x' })).toThrow(/^SYSTEMS_API_PORT .*\nLATCHKEY_SERVICE_TOKEN .*$/);
  });

  it.each(['65536', '-1', '4e3', ' 1', '123456'])('refuses the port %j', (SYSTEMS_API_PORT) => {
    expect(() => readConfig({ LATCHKEY_SERVICE_TOKEN, SYSTEMS_API_PORT })).toThrow(/^SYSTEMS_API_PORT/);
  });

  it('does not quote a token that it refuses', () => {
    const read = () => readConfig({ LATCHKEY_SERVICE_TOKEN: 'hush hush' });
    expect(read).toThrow(/^LATCHKEY_SERVICE_TOKEN/);
    expect(read).not.toThrow(/hush/);
  });
});
