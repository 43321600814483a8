import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { sendUnaryData, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ballast, oldGenerationGrowth } from '../../../../test/support/old-generation.js';
import { StreamTables } from './stream-tables.js';

const CALLER = fileURLToPath(new URL('../../../../test/support/http2-caller.mjs', import.meta.url));
const MEGABYTE = 1024 * 1024;
const asItIs = (bytes: Buffer) => bytes;
const ECHO: ServiceDefinition = {
  Echo: {
    path: '/test.Echo/Echo',
    requestStream: false,
    responseStream: false,
    requestSerialize: asItIs,
    requestDeserialize: asItIs,
    responseSerialize: asItIs,
    responseDeserialize: asItIs,
  },
};

describe('a connection that has served many calls', () => {
  let server: Server;
  /** Memory of its own: what a client keeps is none of our business here. */
  let caller: ChildProcess;
  const tables = new StreamTables();

  beforeAll(async () => {
    server = new Server();
    server.addService(ECHO, {
      Echo: (call: ServerUnaryCall<Buffer, Buffer> & { ballast?: unknown }, done: sendUnaryData<Buffer>) => {
        call.ballast = ballast();
        done(null, call.request);
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    tables.addTo(server);
    caller = fork(CALLER, [String(port), ECHO['Echo']!.path], { execArgv: [] });
  });

  afterAll(() => {
    caller.kill();
    server.forceShutdown();
    tables.close();
  });

  test('keeps none of them in memory, and answers each', async () => {
    const statuses = new Set<string>();
    const growth = await oldGenerationGrowth(async () => {
      // Few at once: what is open while young memory is collected twice is old by right.
      for (let turn = 0; turn < 10; turn += 1) {
        caller.send({ calls: 10 });
        const [answers] = (await once(caller, 'message')) as [string[]];
        for (const status of answers) statuses.add(status);
      }
    });
    expect([...statuses]).toEqual(['0']);
    // Of 2,000 calls with eight kilobytes each.
    expect(growth).toBeLessThan(4 * MEGABYTE);
  });
});
