import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { putKeys } from './support/rows.js';
import { button, createDialog, heading, openCreate, row } from './support/screen.js';
import { Stage } from './support/stage.js';

const MOST_BYTES = 250_000;

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

  test('loads less than 250,000 bytes in few requests, and needs less than three seconds of work', async () => {
    const { page } = await openMeasured();
    const { requests, bytes, workSeconds } = await page.measured();
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
    expect(requests).toBeLessThanOrEqual(6);
    expect(workSeconds).toBeGreaterThan(0);
    expect(workSeconds).toBeLessThan(3);
  });

  test('is dark where the system is, and remembers a switch to light', async () => {
    const { page } = await stage.open({ options: { colorScheme: 'dark' } });
    await heading(page).waitFor();
    expect(await brightness(page)).toBeLessThan(60);
    await button(page, 'Switch to light colours').click();
    await button(page, 'Switch to dark colours').waitFor();
    expect(await brightness(page)).toBeGreaterThan(200);
    await page.reload();
    await heading(page).waitFor();
    expect(await brightness(page)).toBeGreaterThan(200);
  });

  test('has no motion for people who prefer reduced motion', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    const { page } = await stage.open({
      owner,
      options: { reducedMotion: 'reduce' },
      prepare: (page) => page.addInitScript(MOVED),
    });
    await row(page, 'CI deploy').waitFor();
    await openCreate(page);
    await page.keyboard.press('Escape');
    await createDialog(page).waitFor({ state: 'detached' });
    await button(page, 'Actions for CI deploy').click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).waitFor();
    expect(await page.evaluate('window.moved')).toEqual([]);
  });

  /** The sign-in screen, with the cost of loading it. */
  async function openMeasured() {
    const sizes: Promise<{ responseBodySize: number }>[] = [];
    let metrics: () => Promise<{ metrics: { name: string; value: number }[] }>;
    const { page } = await stage.open({
      signedIn: false,
      prepare: async (page) => {
        page.on('requestfinished', (request) => sizes.push(request.sizes()));
        await page.addInitScript(USABLE);
        const devtools = await page.context().newCDPSession(page);
        // The time that the page's main thread works, without the time that it waits while other programs run.
        await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
        metrics = () => devtools.send('Performance.getMetrics');
      },
    });
    // Not waitForFunction, which the page's policy forbids.
    await eventually(() => page.evaluate<boolean>('window.isUsable'));
    const measured = async () => ({
      requests: sizes.length,
      bytes: (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0),
      workSeconds: (await metrics()).metrics.find(({ name }) => name === 'TaskDuration')!.value,
    });
    return { page: Object.assign(page, { measured }) };
  }
});

/** Says when the form has been painted and has the focus in its first field. */
const USABLE = `new MutationObserver((_, observer) => {
  if (!document.querySelector('input[name="email"]')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (window.isUsable = true)));
}).observe(document, { childList: true, subtree: true })`;

/** The visible elements that changed their place or size; colours may change slowly. */
const MOVED = `window.moved = [];
const note = (event) => {
  const style = getComputedStyle(event.target);
  const slow = (durations) => durations.split(', ').some((duration) => parseFloat(duration) > 0.05);
  const what = event.type + ' ' + (event.propertyName ?? event.animationName) + ' ' + event.target.className;
  const isColor = /color|outline|background|fill|opacity|visibility/.test(event.propertyName ?? '');
  const durations = event.type === 'animationstart' ? style.animationDuration : style.transitionDuration;
  if (!isColor && slow(durations)) window.moved.push(what);
};
addEventListener('transitionrun', note, true);
addEventListener('animationstart', note, true);`;

/** The brightness of the background, 0 to 255. */
async function brightness(page: Page): Promise<number> {
  const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const channels = color.match(/\d+/g)!.slice(0, 3).map(Number);
  return channels.reduce((sum, channel) => sum + channel / 3, 0);
}
