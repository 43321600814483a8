import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axe, settle } from './axe.js';
import { shoot } from './screenshots.js';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };
/** At 200 % a desktop has half the pixels in each direction. */
const ZOOMED = { width: 640, height: 400 };

/** The states that docs/img shows, in each of the three looks. */
const PICTURES = [
  'empty',
  'list',
  'create-errors',
  'reveal',
  'revoke',
  'activity',
  'details',
  'sign-in-platform',
  'sign-in-no_account',
  'create-step-up',
];

/** Expects a state to be free of what axe finds, in both schemes, and of sideways scrolling. Answers the figures. */
export async function look(state: string, page: Page): Promise<object> {
  const { light, dark } = await inBothSchemes(state, page);
  const tooWide = { phone: await wider(page, PHONE), zoomed: await wider(page, ZOOMED) };
  await page.setViewportSize(DESKTOP);
  expect({ state, light: light.violations, dark: dark.violations, tooWide }).toEqual({
    state,
    light: [],
    dark: [],
    tooWide: { phone: [], zoomed: [] },
  });
  // axe has checked something.
  expect(light.kept).toBeGreaterThan(15);
  return { light: light.violations.length, dark: dark.violations.length, rulesKept: light.kept };
}

async function inBothSchemes(state: string, page: Page) {
  const shootAs = async (picture: 'light' | 'dark' | '360') => {
    if (PICTURES.includes(state)) await shoot(page, picture === 'light' ? state : `${state}-${picture}`);
  };
  const emulate = async (colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme });
    await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).first().waitFor();
  };
  await shootAs('light');
  const light = await axe(page);
  await emulate('dark');
  await shootAs('dark');
  const dark = await axe(page);
  await emulate('light');
  if (PICTURES.includes(state)) {
    await page.setViewportSize(PHONE);
    await shootAs('360');
  }
  return { light, dark };
}

/** Elements that are wider than their place, so that they could be scrolled sideways. */
export async function wider(page: Page, size = page.viewportSize()!): Promise<string[]> {
  await page.setViewportSize(size);
  await settle(page);
  return page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('[role="dialog"], main')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.tagName + ' ' + element.scrollWidth + ' > ' + element.clientWidth)`);
}
