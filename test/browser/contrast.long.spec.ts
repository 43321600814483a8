import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { settle } from './support/axe.js';
import { putKeys } from './support/rows.js';
import { openCreate, row, showDetails } from './support/screen.js';
import { Stage } from './support/stage.js';
import { KEYS } from './support/states.js';

/** Where the contrasts of text are measured, from the page to what lies above it. */
interface Contrasts {
  /** The lowest contrast of a text, and that text. */
  readonly text: readonly [ratio: number, of: string];
  /** The contrasts of lines that carry meaning. */
  readonly lines: readonly (readonly [ratio: number, of: string])[];
  /** The brightness of page, card and dialog, 0 to 1. */
  readonly surfaces: Readonly<Record<string, number>>;
}

describe.each(['light', 'dark'] as const)('the %s scheme', (colorScheme) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('has texts of at least 4.5 to 1, and lines, charts and focus rings of at least 3 to 1', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, KEYS);
    const { page } = await stage.open({ owner, options: { colorScheme } });
    await row(page, 'CI deploy').waitFor();
    const list = await contrasts(page);
    // The words below the drawing are its legend.
    const rejected = row(page, 'CI deploy').getByText(/^\d+ rejected$/);
    const mark = row(page, 'CI deploy').locator('g[class*="rejected"]');
    expect((await styleOf(rejected)).color).toBe((await styleOf(mark)).fill);
    const ofList = await walked(page, 12);
    const details = await showDetails(page, 'CI deploy');
    await details.getByRole('slider').waitFor();
    const ofDetails = await walked(page, 8);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await openCreate(page);
    // What was pressed with a mouse has no ring.
    await page.keyboard.press('Tab');
    const create = await contrasts(page);
    const ofCreate = await walked(page, 9);
    const seen = [list, ...ofList, ...ofDetails, create, ...ofCreate];
    if (process.env['LATCHKEY_FIGURES'] === '1') console.log(JSON.stringify(seen));

    for (const { text, lines } of seen) {
      expect(text).toEqual([expect.any(Number), expect.any(String)]);
      expect(text[0]).toBeGreaterThanOrEqual(4.5);
      expect(lines.filter(([ratio]) => ratio < 3)).toEqual([]);
    }
    expect(create.lines.length).toBeGreaterThanOrEqual(3);
    const { page: ofPage, card, dialog: ofDialog } = create.surfaces;
    if (colorScheme === 'dark') expect([ofPage! < card!, card! < ofDialog!]).toEqual([true, true]);
  });
});

const styleOf = (element: Locator) =>
  element.evaluate((found) => {
    const { color, fill } = found.ownerDocument.defaultView!.getComputedStyle(found);
    return { color, fill };
  });

/** With the focus on one tab stop after the other. */
async function walked(page: Page, stops: number): Promise<Contrasts[]> {
  const found: Contrasts[] = [];
  for (let stop = 0; stop < stops; stop += 1) {
    // Each press depends on the one before.
    // oxlint-disable-next-line no-await-in-loop
    await page.keyboard.press('Tab');
    // oxlint-disable-next-line no-await-in-loop
    found.push(await contrasts(page));
  }
  return found;
}

async function contrasts(page: Page): Promise<Contrasts> {
  await settle(page);
  return page.evaluate<Contrasts>(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
      willReadFrequently: true,
    });
    // Any color that CSS can write, as red, green, blue and alpha.
    const channels = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], below) => [r, g, b].map((channel, n) => channel * a + below[n] * (1 - a));
    const behind = (element) => {
      if (!element) return [255, 255, 255];
      const own = channels(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement));
    };
    const brightness = (color) => {
      const [r, g, b] = color.map((channel) => {
        const part = channel / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (color, below) => {
      const [low, high] = [over(channels(color), below), below].map(brightness).toSorted((a, b) => a - b);
      return Math.round(((high + 0.05) / (low + 0.05)) * 100) / 100;
    };
    const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.getBoundingClientRect().width > 2;
    const dialogs = [...document.querySelectorAll('[role="dialog"]')].filter(isShown);
    // An overlay dims what is below a dialog.
    const shown = (dialogs.length > 0 ? dialogs : [document.body]).flatMap((root) => [...root.querySelectorAll('*')]).filter(isShown);
    const texts = shown
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .filter((element) => !element.closest('[data-disabled], svg[aria-hidden="true"]'))
      .map((element) => [ratio(getComputedStyle(element).color, behind(element)), element.textContent.slice(0, 40)]);
    const fields = shown
      .filter((element) => element.matches('input:not([type="radio"], [type="checkbox"]), textarea, select'))
      .filter((element) => getComputedStyle(element).borderTopWidth !== '0px')
      .map((element) => [ratio(getComputedStyle(element).borderTopColor, behind(element.parentElement)), 'border of ' + element.name]);
    const focused = document.activeElement;
    // A link that covers its row draws the ring around the row, a field by its border, a radio button around its label.
    const ring = [[focused], [focused, '::after'], [focused.closest('label') ?? focused], [focused.nextElementSibling ?? focused]]
      .map(([element, part]) => getComputedStyle(element, part))
      .find(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px') ??
      (focused.matches('input:not([type="radio"])') ? { outlineColor: getComputedStyle(focused).borderTopColor } : undefined);
    const rings = focused.matches('body, [role="dialog"]') ? [] :
      [[ring ? ratio(ring.outlineColor, behind(focused.parentElement)) : 0, 'focus of ' + focused.outerHTML.slice(0, 90)]];
    const drawings = [...document.querySelectorAll('svg[role="img"] rect, svg rect[class]')]
      .map((element) => [ratio(getComputedStyle(element).fill, behind(element.closest('svg').parentElement)), 'drawing']);
    const checked = shown
      .filter((element) => element.matches('label:has(:checked)'))
      .map((element) => [ratio(getComputedStyle(element).borderTopColor, behind(element.parentElement)), 'border of ' + element.textContent.slice(0, 20)]);
    const surface = (selector) => {
      const element = document.querySelector(selector);
      return element ? brightness(behind(element)) : undefined;
    };
    return {
      text: texts.toSorted(([a], [b]) => a - b)[0],
      lines: [...fields, ...rings, ...checked, ...drawings],
      surfaces: { page: surface('body'), card: surface('main [role="rowheader"]'), dialog: surface('[role="dialog"]') },
    };
  })()`);
}
