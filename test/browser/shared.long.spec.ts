import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { eventually } from '../support/eventually.js';
import { childrenOf, isRunning } from '../support/processes/processes.js';

jest.setTimeout(120_000);

const OFFER = `import { offerSharedThings } from ${JSON.stringify(join(root, 'test/support/jest/shared.mjs'))};
process.send((await offerSharedThings()).url);`;

describe('the shared browser and services', () => {
  let offering: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    offering = spawn(process.execPath, ['--input-type=module', '--eval', OFFER], { stdio: [...stdio] });
    [url] = (await once(offering, 'message')) as [string];
  });
  afterAll(() => void offering.kill('SIGKILL'));

  const request = async (path: string) => (await fetch(`${url}/${path}`)).text();

  test('start at the first request: one browser and one service for each worker', async () => {
    const paths = ['chromium/1', 'chromium/1', 'chromium/2', 'service/1', 'service/1', 'service/2'];
    const [browser, sameBrowser, otherBrowser, service, sameService, otherService] = await Promise.all(
      paths.map(request),
    );
    expect(JSON.parse(browser!)).toEqual({ endpoint: expect.stringMatching(/^ws:/) });
    expect([sameBrowser, sameService]).toEqual([browser, service]);
    expect(otherBrowser).not.toBe(browser);
    expect(JSON.parse(otherService!)).not.toMatchObject({ databaseUrl: JSON.parse(service!).databaseUrl });
    expect(childrenOf(offering.pid!)).toHaveLength(4);
  });

  test('end with the process that offers them, even if that is killed', async () => {
    const children = childrenOf(offering.pid!);
    expect(children.map(isRunning)).toEqual([true, true, true, true]);
    offering.kill('SIGKILL');
    await eventually(async () => !children.some(isRunning));
  });
});
