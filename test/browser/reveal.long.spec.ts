import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { settle } from './support/axe.js';
import { isReadingOne, record } from './support/network.js';
import { button, createKey, focusOn, heading, shownKey, storeKey } from './support/screen.js';
import { Stage } from './support/stage.js';
import { placesOf } from './support/traces.js';

const run = promisify(execFile);
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

describe('a new key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('is copied by its button, and nothing on the page moves', async () => {
    const { page } = await stage.open({ prepare: (page) => page.addInitScript(RECORD_SHIFTS) });
    const key = await createKey(page);
    await settle(page);
    await page.evaluate('shifts.length = 0');
    await focusOn(button(page, 'Copy key'));
    await page.keyboard.press('Enter');
    await button(page, 'Copied').waitFor();
    await page.getByRole('status').getByText('Copied to the clipboard').waitFor({ state: 'attached' });
    expect(await clipboard(page)).toBe(key);
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('blocked'))");
    await button(page, 'Copied').click();
    await page.getByText('Your browser blocks copying here.').waitFor();
    expect((await page.evaluate<string>('String(getSelection())')).trim()).toBe(key);
    for (const name of ['curl', 'Node.js', 'Python', '.env']) {
      await page.getByRole('tab', { name, exact: true }).click();
      await page.getByRole('textbox', { name, exact: true }).waitFor();
    }
    expect(await page.evaluate('shifts')).toEqual([]);
  });

  test('is used from the environment in examples that work, and is in none but the line for the .env file', async () => {
    const { page } = await stage.open();
    const key = await createKey(page);
    const example = async (name: string) => {
      await page.getByRole('tab', { name, exact: true }).click();
      return page.getByRole('textbox', { name, exact: true }).innerText();
    };
    const env = await example('.env');
    expect(env).toBe(`API_KEY=${key}`);
    const seen: (string | undefined)[] = [];
    const api = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const url = await new Promise<string>((resolve) => {
      api.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(api.address() as AddressInfo).port}/`));
    });
    const folder = mkdtempSync(join(tmpdir(), 'env-'));
    writeFileSync(join(folder, '.env'), env);
    for (const [name, command, before] of [
      ['curl', 'sh', ['-c']],
      ['Node.js', process.execPath, ['--env-file=.env', '--input-type=module', '-e']],
    ] as const) {
      const code = await example(name);
      expect(code).not.toContain(key);
      await run(command, [...before, code.replace(/'http[^']+'/, `'${url}'`)], { cwd: folder });
    }
    expect(await example('Python')).toMatch(/requests\.get\('http[^']+',\n.*os\.environ\['API_KEY'\]\}\)$/);
    api.close();
    rmSync(folder, { recursive: true });
    expect(seen).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
  });

  test('is watched by a request every few seconds while its tab is visible, until it is used, for at most ten minutes', async () => {
    const { page } = await stage.open({ prepare: (page) => page.clock.install() });
    await createKey(page);
    const reads = record(page, isReadingOne);
    const readsIn = async (ms: number) => {
      const before = reads.length;
      for (let left = ms; left > 0; left -= 1000) {
        // The next read is due some time after the answer to the one before, which takes real time.
        await reads.at(-1)?.response();
        await page.clock.runFor(1000);
      }
      return reads.length - before;
    };
    expect(await readsIn(30_000)).toBeGreaterThanOrEqual(3);
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })");
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    expect(await readsIn(30_000)).toBeLessThanOrEqual(1);
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true })");
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    expect(await readsIn(30_000)).toBeGreaterThanOrEqual(3);
    await page.clock.fastForward(9 * 60_000);
    await page.getByText('No accepted request yet. Your list of keys will show the first one.').waitFor();
    expect(await readsIn(30_000)).toBeLessThanOrEqual(1);
    await storeKey(page);

    await createKey(page, 'Another');
    expect(await readsIn(30_000)).toBeGreaterThanOrEqual(3);
    await storeKey(page);
    expect(await readsIn(30_000)).toBeLessThanOrEqual(1);
  });

  test('stays visible when the person goes back to another tab, and is not in a page that the browser keeps for “back”', async () => {
    const { page } = await stage.open();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('tab', { name: 'Keys' }).click();
    const key = await createKey(page);
    await page.goBack();
    await page.getByRole('tabpanel', { name: 'Activity', includeHidden: true }).waitFor();
    expect((await shownKey(page).innerText()).trim()).toBe(key);
    await storeKey(page);
    await focusOn(heading(page));

    await page.getByRole('tab', { name: 'Keys' }).click();
    const frozen = await createKey(page, 'Another');
    await shownKey(page).focus();
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    expect(await placesOf(page, frozen)).toEqual([]);
    await page.getByText('You left the page, so the key is no longer shown.').waitFor();
  });
});

/** Records every layout shift, also those after a click or a key, which the usual figure leaves out. */
const RECORD_SHIFTS = `{
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      shifts.push(value + ' ' + sources.map(({ node }) => node?.outerHTML?.slice(0, 150) ?? node?.data));
  }).observe({ type: 'layout-shift', buffered: true });
}`;
