import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { settle } from './support/axe.js';
import { PHONE } from './support/look.js';
import { holdBack, isListing, isReadingOne } from './support/network.js';
import { putKeys } from './support/rows.js';
import { button, row, showDetails, showFilter } from './support/screen.js';
import { eventually } from '../support/eventually.js';
import { Stage } from './support/stage.js';
import { KEYS } from './support/states.js';

/** Collects what moves, also right after an input, which browsers forgive. */
const OBSERVE = `window.moved = [];
  new PerformanceObserver((list) => window.moved.push(...list.getEntries().map((entry) =>
    [entry.value, ...entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 120))])),
  ).observe({ type: 'layout-shift', buffered: true });`;

/** Waits for two frames, after which the shifts of the first are known. */
const FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))';

const FORMER = Array.from({ length: 9 }, (_, n) => ({ name: `Former ${n}`, revokedDaysAgo: n + 1 }));

describe('the layout', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const open = async (
    keys: Parameters<typeof putKeys>[2],
    prepare: (page: Page) => Promise<unknown>,
    size?: object,
  ) => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    const before = async (page: Page) => {
      await page.addInitScript(OBSERVE);
      await prepare(page);
    };
    const options = size ? { viewport: PHONE } : {};
    return (await stage.open({ owner, options, prepare: before })).page;
  };

  const moved = async (page: Page) => {
    await settle(page);
    await page.evaluate(FRAMES);
    return page.evaluate('window.moved');
  };

  test.each([undefined, PHONE])('does not move while it loads, on a screen of %j', async (size) => {
    let release = () => {};
    const page = await open(
      KEYS,
      async (page) => {
        ({ release } = await holdBack(page, isListing));
      },
      size,
    );
    await page.getByText('Loading…').first().waitFor({ state: 'attached' });
    await button(page, 'Create API key').waitFor();
    await page.evaluate(FRAMES);
    release();
    await row(page, 'CI deploy').waitFor();
    expect(await moved(page)).toEqual([]);
  });

  test.each([1280, 720, 360])('does not move while the filters of a long list load, %i pixels wide', async (width) => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const page = await open([...KEYS, ...FORMER], async (page) => {
      await page.setViewportSize({ width, height: 740 });
      await page.route('**/assets/KeyFilters*', async (route) => {
        await released;
        await route.continue();
      });
    });
    await row(page, 'CI deploy').waitFor();
    await page.evaluate(FRAMES);
    release();
    await page.getByRole('searchbox').waitFor();
    expect(await moved(page)).toEqual([]);
  });

  test('does not move while it is filtered, unfolded and searched', async () => {
    const page = await open([...KEYS, ...FORMER], async () => {});
    await row(page, 'CI deploy').waitFor();
    for (const filter of ['All 14', 'Ended 11', 'Needs attention 1', 'Active 3']) {
      await showFilter(page, filter);
      await moved(page);
    }
    await button(page, 'Ended (11)').click();
    await row(page, 'Former 8').waitFor();
    // The first row: any other would take its place, as it should.
    await page.getByRole('searchbox').fill('Backup script');
    await row(page, 'Former 8').waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('No such key');
    await button(page, 'Clear search').waitFor();
    expect(await moved(page)).toEqual([]);
  });

  test('does not move while a minute passes', async () => {
    const page = await open(KEYS, (page) => page.clock.install());
    const lastUsed = row(page, 'CI deploy').getByText(/^\d+ minutes ago$/);
    const before = await lastUsed.innerText();
    await page.clock.runFor(61_000);
    await eventually(async () => (await lastUsed.innerText()) !== before);
    expect(await page.evaluate('window.moved')).toEqual([]);
  });

  test('of the details does not move while they load and while the pointer and the keys go over the chart', async () => {
    const releases: (() => void)[] = [];
    const page = await open(KEYS, async (page) => {
      const isActivity = (request: Request) => new URL(request.url()).pathname === '/v1/audit-events';
      for (const matches of [isReadingOne, isActivity]) releases.push((await holdBack(page, matches)).release);
    });
    const details = await showDetails(page, 'CI deploy');
    await moved(page);
    releases[0]!();
    await details.getByRole('heading', { name: 'History' }).waitFor();
    await moved(page);
    releases[1]!();
    await button(details, 'Copy ID').waitFor();
    const chart = details.getByRole('slider');
    const { width } = (await chart.boundingBox())!;
    for (const part of [0.1, 0.5, 0.9]) await chart.hover({ position: { x: part * width, y: 60 } });
    await chart.focus();
    for (const key of ['Home', 'ArrowRight', 'End']) await page.keyboard.press(key);
    expect(await moved(page)).toEqual([]);
  });

  test('would be seen to move', async () => {
    const page = await open(KEYS, async () => {});
    await row(page, 'CI deploy').waitFor();
    await page.evaluate("document.querySelector('main').style.paddingTop = '200px'");
    expect(await moved(page)).not.toEqual([]);
  });
});
