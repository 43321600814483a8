import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { assertPortsFree, freePort } from '../../scripts/lib/ports.mjs';
import { freePorts } from '../support/processes/checkout.js';

const noWaitMs = 0;

describe('a free port', () => {
  it('is given once by a process, and is one that another process is not given', async () => {
    const own = await Promise.all(Array.from({ length: 30 }, () => freePort()));
    expect(new Set(own).size).toBe(30);
    const script = `import { freePort } from ${JSON.stringify(pathToFileURL('scripts/lib/ports.mjs').href)};
      console.log(JSON.stringify(await Promise.all(Array.from({ length: 30 }, () => freePort()))));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(own.filter((port) => (JSON.parse(stdout) as number[]).includes(port))).toEqual([]);
  });
});

describe('the check of the ports', () => {
  it.each(['HTTP_PORT', 'GRPC_PORT', 'SERVICES_PORT', 'SYSTEMS_API_PORT'])(
    'names %s when its port is taken',
    async (variable) => {
      const ports = await freePorts();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(Number(ports[variable]), '127.0.0.1', resolve));
      const refusal = assertPortsFree('127.0.0.1', ports, noWaitMs);
      await expect(refusal).rejects.toThrow(`Port ${ports[variable]} is taken: set ${variable} to a free one.`);
      await new Promise((resolve) => other.close(resolve));
      await expect(assertPortsFree('127.0.0.1', ports, noWaitMs)).resolves.toBeUndefined();
    },
  );

  it('waits while a killed start releases its ports', async () => {
    const ports = await freePorts();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(ports['HTTP_PORT']), '127.0.0.1', resolve));
    const free = assertPortsFree('127.0.0.1', ports, 20_000);
    setImmediate(() => other.close());
    await expect(free).resolves.toBeUndefined();
  });

  it('refuses two variables with the same port', async () => {
    const { HTTP_PORT: port = '' } = await freePorts();
    const refusal = assertPortsFree('127.0.0.1', { HTTP_PORT: port, GRPC_PORT: port }, noWaitMs);
    await expect(refusal).rejects.toThrow(`set GRPC_PORT to a free one`);
  });

  it.each(['0', '65536', 'http', '-1', '3000 '])('refuses %j as a port', async (text) => {
    const refusal = assertPortsFree('127.0.0.1', { HTTP_PORT: text }, noWaitMs);
    await expect(refusal).rejects.toThrow('HTTP_PORT must be a port from 1 to 65535.');
  });

  it('names HOST when it is no address of this machine', async () => {
    const refusal = assertPortsFree('192.0.2.1', await freePorts(), noWaitMs);
    await expect(refusal).rejects.toThrow('set HOST to an address of this machine');
  });
});
