import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axe, settle } from './support/axe.js';
import { button } from './support/screen.js';
import { shoot } from './support/screenshots.js';
import { Stage } from './support/stage.js';
import { ways } from './support/states.js';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
/** At 200 % a desktop has half the pixels in each direction. */
const ZOOMED = { width: 640, height: 400 };

/** The states that docs/img shows, in each of the three looks. */
const PICTURES = ['empty', 'list', 'create-errors', 'reveal', 'revoke', 'activity'];

describe('in every state', () => {
  let stage: Stage;
  const figures: Record<string, object> = {};
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(async () => {
    await stage.stop();
    if (process.env['LATCHKEY_FIGURES'] === '1') console.table(figures);
  });

  test.each(Object.entries(ways))(
    '%s: no violation of any axe rule, light or dark; no sideways scrolling at 360 px or 200 % zoom',
    (_, walk) => walk(stage, look),
  );

  test('axe finds a violation where there is one', async () => {
    const { page } = await stage.open({ signedIn: false });
    await button(page, 'Sign in').waitFor();
    await page.evaluate("document.querySelector('label').remove()");
    expect((await axe(page)).violations).toContainEqual(expect.stringMatching(/^label: /));
    await page.setViewportSize(DESKTOP);
    await page.evaluate("document.querySelector('form').style.width = '2000px'");
    expect(await wider(page)).not.toEqual([]);
  });

  async function look(state: string, page: Page): Promise<void> {
    const { light, dark } = await inBothSchemes(state, page);
    const tooWide = { phone: await wider(page, PHONE), zoomed: await wider(page, ZOOMED) };
    await page.setViewportSize(DESKTOP);
    figures[state] = { light: light.violations.length, dark: dark.violations.length, rulesKept: light.kept };
    expect({ state, light: light.violations, dark: dark.violations, tooWide }).toEqual({
      state,
      light: [],
      dark: [],
      tooWide: { phone: [], zoomed: [] },
    });
    // axe has checked something.
    expect(light.kept).toBeGreaterThan(15);
  }
});

async function inBothSchemes(state: string, page: Page) {
  const shootAs = async (look: 'light' | 'dark' | '360') => {
    if (PICTURES.includes(state)) await shoot(page, look === 'light' ? state : `${state}-${look}`);
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
async function wider(page: Page, size = page.viewportSize()!): Promise<string[]> {
  await page.setViewportSize(size);
  await settle(page);
  return page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('[role="dialog"], main')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.tagName + ' ' + element.scrollWidth + ' > ' + element.clientWidth)`);
}
