import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { holdBack, record } from './support/network.js';
import { DESKTOP, PHONE, wider } from './support/look.js';
import { putKeys } from './support/rows.js';
import { button, row } from './support/screen.js';
import { Stage } from './support/stage.js';

const MAX_SCRIPT = 115_500;
const FIRST_CALLS = ['/v1/api-keys', '/v1/session'];

// Stage checks in every test that no page sends a request elsewhere, breaks the policy or logs an error.
describe('the page', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('allows only its own origin, and inline only the styles of this answer, in its content security policy', async () => {
    const [first, second] = await Promise.all([0, 1].map(() => fetch(`${stage.service.url}/settings/api-keys`)));
    const policy = first!.headers.get('content-security-policy')!;
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
    expect(second!.headers.get('content-security-policy')).not.toBe(policy);
    expect(first!.headers.get('cache-control')).toBe('no-store');
  });

  test('would fail these tests if it broke the policy', async () => {
    const { page } = await stage.open({ signedIn: false });
    await button(page, 'Sign in').waitFor();
    const breach = page.waitForEvent('console', (message) => message.text().startsWith('securitypolicyviolation'));
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('style'), { textContent: 'a {}' }))",
    );
    await breach;
    await expect(stage.clear()).rejects.toThrow('style-src-elem');
  });

  test.each(['en-US', 'de-DE'])('keeps what a row says of a paused key in its place: %s', async (locale) => {
    const owner = await stage.newOwner();
    const { apiKey } = await owner.person.newKey({ name: 'Paused' });
    await owner.person.call('POST', `/v1/api-keys/${apiKey.id}/pause`, { minutes: 5 });
    const { page } = await stage.open({ owner, options: { locale } });
    await row(page, 'Paused').locator('time').last().waitFor();
    for (const size of [DESKTOP, PHONE]) {
      expect(await wider(page, size)).toEqual([]);
      const outside = `[...document.querySelectorAll('[role="cell"] time, [role="rowheader"] time')].filter((time) =>
        time.getBoundingClientRect().right > time.closest('[role]').getBoundingClientRect().right + 10).length`;
      expect(await page.evaluate<number>(outside)).toBe(0);
    }
  });

  test('loads at most 115,500 bytes of script before the list stands, and needs less than three seconds of work', async () => {
    const { scriptBytes, workSeconds } = await measured();
    expect(scriptBytes).toBeGreaterThan(50_000);
    if (process.env['LATCHKEY_FIGURES'] === '1') console.log({ scriptBytes, workSeconds });
    expect(scriptBytes).toBeLessThanOrEqual(MAX_SCRIPT);
    expect(workSeconds).toBeGreaterThan(0);
    expect(workSeconds).toBeLessThan(3);
  });

  test('asks for the session and the keys side by side, and for each once', async () => {
    const owner = await ownerOfOne();
    let calls: Request[] = [];
    let session: Awaited<ReturnType<typeof holdBack>>;
    const { page } = await stage.open({
      owner,
      prepare: async (page) => {
        calls = record(page, (request) => request.url().includes('/v1/'));
        session = await holdBack(page, (request) => request.url().endsWith('/v1/session'));
      },
    });
    // What comes after the list is another test's concern (service-accounts.spec.ts).
    const paths = () => calls.map((request) => new URL(request.url()).pathname);
    const asked = () =>
      paths()
        .filter((path) => path !== '/v1/accounts')
        .toSorted();
    await eventually(() => Promise.resolve(asked().length > 1 && session.held() === 1));
    expect(asked()).toEqual(FIRST_CALLS);
    session!.release();
    await row(page, 'CI deploy').waitFor();
    expect(asked()).toEqual(FIRST_CALLS);
  });

  test('sends each file in the best encoding that the browser accepts', async () => {
    const html = await (await fetch(`${stage.service.url}/settings/api-keys`)).text();
    const [, script] = /crossorigin src="([^"]+)"/.exec(html)!;
    const answers = await Promise.all(
      ['gzip, deflate, br', 'gzip, br;q=0', 'identity'].map((accepted) =>
        fetch(stage.service.url + script, { headers: { 'accept-encoding': accepted } }),
      ),
    );
    const header = (name: string) => answers.map(({ headers }) => headers.get(name));
    expect(header('content-encoding')).toEqual(['br', 'gzip', null]);
    expect(new Set(header('vary'))).toEqual(new Set(['Accept-Encoding']));
    expect(new Set(header('content-type'))).toEqual(new Set(['text/javascript; charset=utf-8']));
    expect(new Set(header('cache-control'))).toEqual(new Set(['public, max-age=31536000, immutable']));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
  });

  test('serves its typeface and the licence of it itself, and uses it only if it is there at once', async () => {
    const html = await (await fetch(`${stage.service.url}/settings/api-keys`)).text();
    const [, href] = /<link rel="preload" as="font" type="font\/woff2" crossorigin href="([^"]+)"/.exec(html)!;
    const files = [href!, '/settings/assets/inter-LICENSE.txt'].map((path) => fetch(stage.service.url + path));
    const [font, licence] = await Promise.all(files);
    expect(font!.headers.get('content-type')).toBe('font/woff2');
    expect(await licence!.text()).toContain('SIL OPEN FONT LICENSE');
    const sheets = [...html.matchAll(/rel="stylesheet"[^>]* href="([^"]+)"/g)].map(([, sheet]) => sheet!);
    const texts = await Promise.all(sheets.map(async (sheet) => (await fetch(stage.service.url + sheet)).text()));
    expect(texts.join('')).toMatch(/@font-face\{[^}]*font-display:optional/);
  });

  test('has its own styles after those of the library, whose rules of the same weight it replaces', async () => {
    const html = await (await fetch(`${stage.service.url}/settings/api-keys`)).text();
    const sheets = [...html.matchAll(/rel="stylesheet"[^>]* href="([^"]+)"/g)].map(([, href]) => href!);
    const texts = await Promise.all(sheets.map(async (href) => (await fetch(stage.service.url + href)).text()));
    const [library, own] = ['.m_87cf2631{', '--latchkey-card:'].map((rule) => texts.join('').indexOf(rule));
    expect(library).toBeGreaterThan(-1);
    expect(own).toBeGreaterThan(library!);
  });

  async function ownerOfOne() {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    return owner;
  }

  /** The cost of loading the page until the list stands. */
  async function measured() {
    let metrics: () => Promise<{ metrics: { name: string; value: number }[] }>;
    const { page } = await stage.open({
      owner: await ownerOfOne(),
      prepare: async (page) => {
        await page.addInitScript(USABLE);
        const devtools = await page.context().newCDPSession(page);
        // The time that the page's main thread works, without the time that it waits while other programs run.
        await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
        metrics = () => devtools.send('Performance.getMetrics');
      },
    });
    // Not waitForFunction, which the page's policy forbids.
    await eventually(() => page.evaluate<boolean>('window.isUsable'));
    return {
      scriptBytes: await page.evaluate<number>('window.scriptBytes'),
      workSeconds: (await metrics!()).metrics.find(({ name }) => name === 'TaskDuration')!.value,
    };
  }
});

/** Says when the list has been painted, and how much script had been loaded until then. The rest follows later. */
const USABLE = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main [role="rowheader"]')) return;
  observer.disconnect();
  const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
  window.scriptBytes = scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  requestAnimationFrame(() => setTimeout(() => (window.isUsable = true)));
}).observe(document, { childList: true, subtree: true })`;
