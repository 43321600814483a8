import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { settle } from './support/axe.js';
import { putKeys } from './support/rows.js';
import { button, dialog, openCreate, row } from './support/screen.js';
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

  test('has texts of at least 4.5 to 1, and lines that carry meaning of at least 3 to 1', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, KEYS);
    const { page } = await stage.open({ owner, options: { colorScheme } });
    await row(page, 'CI deploy').waitFor();
    const list = await contrasts(page);
    await openCreate(page);
    const create = await contrasts(page);
    await button(dialog(page, 'Create API key'), 'Create key').focus();
    const focused = await contrasts(page);
    if (process.env['LATCHKEY_FIGURES'] === '1') console.log(JSON.stringify({ list, create, focused }));

    for (const { text, lines } of [list, create, focused]) {
      expect(text).toEqual([expect.any(Number), expect.any(String)]);
      expect(text[0]).toBeGreaterThanOrEqual(4.5);
      expect(lines.filter(([ratio]) => ratio < 3)).toEqual([]);
    }
    expect(create.lines.length).toBeGreaterThanOrEqual(3);
    const { page: ofPage, card, dialog: ofDialog } = create.surfaces;
    if (colorScheme === 'dark') expect([ofPage! < card!, card! < ofDialog!]).toEqual([true, true]);
  });
});

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
      .filter((element) => !element.closest('[data-disabled], [aria-hidden="true"]'))
      .map((element) => [ratio(getComputedStyle(element).color, behind(element)), element.textContent.slice(0, 40)]);
    const fields = shown
      .filter((element) => element.matches('input:not([type="radio"], [type="checkbox"]), textarea, select'))
      .filter((element) => getComputedStyle(element).borderTopWidth !== '0px')
      .map((element) => [ratio(getComputedStyle(element).borderTopColor, behind(element.parentElement)), 'border of ' + element.name]);
    const focused = document.activeElement;
    const ring = getComputedStyle(focused);
    const rings = ring.outlineStyle === 'none' ? [] : [[ratio(ring.outlineColor, behind(focused.parentElement)), 'focus of ' + focused.tagName]];
    const checked = shown
      .filter((element) => element.matches('label:has(:checked)'))
      .map((element) => [ratio(getComputedStyle(element).borderTopColor, behind(element.parentElement)), 'border of ' + element.textContent.slice(0, 20)]);
    const surface = (selector) => {
      const element = document.querySelector(selector);
      return element ? brightness(behind(element)) : undefined;
    };
    return {
      text: texts.toSorted(([a], [b]) => a - b)[0],
      lines: [...fields, ...rings, ...checked],
      surfaces: { page: surface('body'), card: surface('main [role="rowheader"]'), dialog: surface('[role="dialog"]') },
    };
  })()`);
}
