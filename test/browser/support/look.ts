import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axe, settle, type AxeResult } from './axe.js';
import { shoot } from './screenshots.js';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };
/** At 200 % a desktop has half the pixels in each direction. */
export const ZOOMED = { width: 640, height: 400 };

/** The states that docs/img shows, in each of the three looks. */
const PICTURES = [
  'empty',
  'list',
  'create-errors',
  'create-limited',
  'create-ceiling',
  'reveal',
  'revoke',
  'activity',
  'key-details-usage',
  'list-rotation',
  'list-idle',
  'list-leaked',
  'rotate-dialog',
  'sign-in-platform',
  'sign-in-no_account',
  'create-step-up',
  'all-keys',
  'all-keys-drawer',
  'all-keys-revoke',
  'audit',
  'service-accounts',
];

/** Expects a state to be free of what axe finds, in both schemes, and of sideways scrolling. Answers the figures. */
export async function look(state: string, page: Page): Promise<object> {
  const { light, dark } = await inBothSchemes(state, page);
  expect({ state, light: light.violations, dark: dark.violations }).toEqual({ state, light: [], dark: [] });
  await expectFits(state, page);
  // axe has checked something.
  expect(light.kept).toBeGreaterThan(15);
  return { light: light.violations.length, dark: dark.violations.length, rulesKept: light.kept };
}

/** Expects a state not to scroll sideways on a phone and at 200 %. */
export async function expectFits(state: string, page: Page): Promise<void> {
  const tooWide = { phone: await wider(page, PHONE), zoomed: await wider(page, ZOOMED) };
  await page.setViewportSize(DESKTOP);
  expect({ state, tooWide }).toEqual({ state, tooWide: { phone: [], zoomed: [] } });
}

/** Begins in the page's current scheme and leaves the page in the other one, because each switch takes long. */
async function inBothSchemes(state: string, page: Page) {
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  const [first, second] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  const found = { [first]: await inScheme(first, state, page) };
  await page.emulateMedia({ colorScheme: second });
  await page.locator(`[data-mantine-color-scheme="${second}"]`).first().waitFor();
  found[second] = await inScheme(second, state, page);
  return { light: found['light']!, dark: found['dark']! };
}

async function inScheme(scheme: 'light' | 'dark', state: string, page: Page): Promise<AxeResult> {
  if (PICTURES.includes(state)) {
    await shoot(page, scheme === 'light' ? state : `${state}-dark`);
    if (scheme === 'light') await shoot(page, `${state}-360`, PHONE);
  }
  return axe(page);
}

/** Elements that are wider than their place, so that they could be scrolled sideways. */
export async function wider(page: Page, size = page.viewportSize()!): Promise<string[]> {
  await page.setViewportSize(size);
  await settle(page);
  return page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('[role="dialog"], main')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.tagName + ' ' + element.scrollWidth + ' > ' + element.clientWidth)`);
}
