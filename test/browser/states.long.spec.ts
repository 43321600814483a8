import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { axe } from './support/axe.js';
import { DESKTOP, look, wider } from './support/look.js';
import { button } from './support/screen.js';
import { Stage } from './support/stage.js';
import { ways } from './support/states.js';

describe('each page of the screen', () => {
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
    '%s: passes every axe rule, light and dark, and fits into 360 px and 200 % zoom',
    (_, walk) => walk(stage, async (state, page) => void (figures[state] = await look(state, page))),
  );

  test('would fail with an axe violation or an element that is too wide', async () => {
    const { page } = await stage.open({ signedIn: false });
    await button(page, 'Sign in').waitFor();
    await page.evaluate("document.querySelector('label').remove()");
    expect((await axe(page)).violations).toContainEqual(expect.stringMatching(/^label: /));
    await page.setViewportSize(DESKTOP);
    await page.evaluate("document.querySelector('form').style.width = '2000px'");
    expect(await wider(page)).not.toEqual([]);
  });
});
