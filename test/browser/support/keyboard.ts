import type { Locator, Page } from 'playwright-core';
import { eventually } from '#test/support/eventually.js';
import { hasFocus } from './screen.js';

/** The most times that a person would press Tab. */
const MOST = 60;

/** Presses Tab until the element has the focus, and answers how often. */
export const tabTo = (page: Page, target: Locator): Promise<number> => pressUntil(page, 'Tab', target);

/** Goes down a menu to an item. */
export const arrowTo = (page: Page, target: Locator): Promise<number> => pressUntil(page, 'ArrowDown', target);

async function pressUntil(page: Page, key: string, target: Locator): Promise<number> {
  // A radio button is invisible under its drawn circle.
  await target.waitFor({ state: 'attached' });
  for (let presses = 0; presses < MOST; presses += 1) {
    // Each press depends on the one before.
    // oxlint-disable-next-line no-await-in-loop
    if (await hasFocus(target)) return presses;
    // oxlint-disable-next-line no-await-in-loop
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never leads to ${target}`);
}

/** Goes to the element by Tab, waits until it takes a press, as a click would, and presses the key. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await eventually(() => target.isEnabled());
  await page.keyboard.press(key);
}

export async function pressAll(page: Page, keys: readonly string[]): Promise<void> {
  // Each press depends on the one before.
  // oxlint-disable-next-line no-await-in-loop
  for (const key of keys) await page.keyboard.press(key);
}
