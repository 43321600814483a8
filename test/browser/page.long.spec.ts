import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { putKeys } from './support/rows.js';
import { button, createDialog, heading, openCreate, row } from './support/screen.js';
import { Stage } from './support/stage.js';

// Stage checks in every test that no page sends a request elsewhere, breaks the policy or logs an error.
describe('the page', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('shows a part of the screen that could not be loaded as soon as it can be', async () => {
    const owner = await ownerOfOne();
    const { page } = await stage.open({
      owner,
      prepare: (page) => page.route('**/assets/ActivityTab*', (route) => route.abort()),
    });
    await row(page, 'CI deploy').waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('alert').waitFor();
    await page.unrouteAll();
    await button(page, 'Try again').click();
    await page.getByRole('radiogroup').waitFor();
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
    const { page } = await stage.open({
      owner: await ownerOfOne(),
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
    // Transitions of inherited colours, however short, would follow each other from parent to child.
    await page.evaluate(
      "addEventListener('transitionrun', ({ propertyName }) => window.moved.push(propertyName), true)",
    );
    await page.emulateMedia({ colorScheme: 'dark' });
    await button(page, 'Switch to light colours').waitFor();
    expect(await page.evaluate('window.moved')).toEqual([]);
  });

  async function ownerOfOne() {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    return owner;
  }
});

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
