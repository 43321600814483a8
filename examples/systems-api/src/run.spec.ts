import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../clients/node/src/testing/eventually.js';
import { type Host, run } from './run.js';
import { readConfig } from './config.js';

describe('run', () => {
  /** The part of a process that this service sees. */
  class TestHost extends EventEmitter {
    readonly env = { SYSTEMS_API_PORT: '0', LATCHKEY_GRPC_TARGET: '127.0.0.1:1', LATCHKEY_SERVICE_TOKEN: 'token' };
    readonly send = jest.fn<(message: unknown) => boolean>();
    readonly disconnect = jest.fn();
    connected = true;

    asHost(): Host {
      return this as unknown as Host;
    }
  }

  const livez = (address: string) => fetch(new URL('/livez', address), { headers: { connection: 'close' } });
  const isStopped = (address: string) =>
    livez(address).then(
      () => false,
      () => true,
    );

  it('notifies its parent process when it is ready', async () => {
    const host = new TestHost();
    const address = await run(host.asHost());
    expect(host.send).toHaveBeenCalledWith({ ready: true });
    expect((await livez(address)).status).toBe(200);
    host.emit('SIGTERM');
    await eventually(() => isStopped(address));
  });

  it.each(['SIGTERM', 'SIGINT', 'disconnect'])('stops on %s', async (signal) => {
    const host = new TestHost();
    const address = await run(host.asHost());
    host.emit(signal);
    await eventually(() => isStopped(address));
    expect(host.disconnect).toHaveBeenCalled();
  });

  it('runs without a parent process', async () => {
    const { env } = new TestHost();
    const alone = Object.assign(new EventEmitter(), { env });
    const address = await run(alone as unknown as Host);
    alone.emit('SIGINT');
    await eventually(() => isStopped(address));
  });

  it('answers 503 while Latchkey is unavailable, and keeps running', async () => {
    const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const host = new TestHost();
    const address = await run(host.asHost());
    expect((await fetch(address, { headers: { authorization: 'Bearer lk_secret', connection: 'close' } })).status).toBe(
      503,
    );
    expect((await livez(address)).status).toBe(200);
    expect(log.mock.calls.flat().join()).not.toContain('lk_secret');
    log.mockRestore();
    host.emit('SIGTERM');
  });

  it('does not start on a port that is in use', async () => {
    const first = new TestHost();
    const address = await run(first.asHost());
    const second = new TestHost();
    second.env.SYSTEMS_API_PORT = new URL(address).port;
    await expect(run(second.asHost())).rejects.toThrow('EADDRINUSE');
    expect(second.send).not.toHaveBeenCalled();
    first.emit('SIGTERM');
  });
});

describe('readConfig', () => {
  const LATCHKEY_SERVICE_TOKEN = 'token';

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
