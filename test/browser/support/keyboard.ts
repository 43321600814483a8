import type { Locator, Page } from 'playwright-core';
import { hasFocus } from './screen.js';

/** As far as someone would press it. */
const MOST = 60;

/** Presses Tab until the focus is there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  // A radio button is invisible under what is drawn for it.
  await target.waitFor({ state: 'attached' });
  for (let presses = 0; presses < MOST; presses += 1) {
    // Each press depends on where the one before led.
    // oxlint-disable-next-line no-await-in-loop
    if (await hasFocus(target)) return;
    // oxlint-disable-next-line no-await-in-loop
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never leads to ${target}`);
}

export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}
