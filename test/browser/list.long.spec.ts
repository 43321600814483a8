import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { putKeys } from './support/rows.js';
import { button, dialog, focusOn, heading, keyLink, row, showDetails, showEnded } from './support/screen.js';
import { tabTo } from './support/keyboard.js';
import { PHONE } from './support/look.js';
import { Stage } from './support/stage.js';

describe('the list of keys', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  /** The screen of an owner with these keys. */
  async function openWith(keys: Parameters<typeof putKeys>[2]) {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    return stage.open({ owner });
  }

  test('an exact time is shown on hover, not over the rows while one has the focus, and is a description for screen readers', async () => {
    const { page } = await openWith([{ name: 'CI deploy', usedMinutesAgo: 3.05 * 60 }]);
    const lastUsed = row(page, 'CI deploy').getByText('3 hours ago');
    const exact = () =>
      lastUsed.evaluate((time) => time.ownerDocument.defaultView!.getComputedStyle(time, '::after').content);
    await lastUsed.hover();
    expect(await exact()).toMatch(/^"[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M"$/);
    await page.mouse.move(0, 0);
    expect(await exact()).toBe('none');
    await tabTo(page, keyLink(page, 'CI deploy'));
    expect(await exact()).toBe('none');
    expect(await lastUsed.getAttribute('aria-description')).toMatch(/\d{4}/);
    expect(await lastUsed.getAttribute('tabindex')).toBeNull();
  });

  test('a chart on a phone is as high as the line of text next to it, and so is a line in place of one', async () => {
    const use = [{ daysAgo: 2, granted: 5, refused: 0 }];
    const { page } = await openWith([{ name: 'Nightly', usedMinutesAgo: 3000, use }, { name: 'Silent' }]);
    await page.setViewportSize(PHONE);
    for (const name of ['Nightly', 'Silent']) {
      const cells = ['Access', 'Last 30 days'].map((label) => row(page, name).locator(`[data-label="${label}"]`));
      // oxlint-disable-next-line no-await-in-loop
      const [text, chart] = await Promise.all(cells.map((cell) => cell.boundingBox()));
      expect([name, Math.round(chart!.height)]).toEqual([name, Math.round(text!.height)]);
    }
  });

  test('a double click opens the details of a key and the form for a new one, and leaves them open', async () => {
    const { page } = await openWith([{ name: 'CI deploy' }]);
    await row(page, 'CI deploy').waitFor();
    for (const [opener, opened] of [
      [keyLink(page, 'CI deploy'), dialog(page, 'CI deploy')],
      [button(page, 'Create API key'), dialog(page, 'Create API key')],
    ] as const) {
      const { x, y } = (await opener.boundingBox())!;
      await page.mouse.click(x + 5, y + 5);
      await opened.waitFor();
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      // A closed one would fade out before the next click is answered.
      await opened.getByRole('button', { name: 'Close' }).click();
      await opened.waitFor({ state: 'detached' });
    }
  });

  test('what a click opens is announced while a slow network loads it', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { page } = await stage.open({
      owner,
      prepare: (opened) =>
        opened.route('**/assets/KeyMenuItems-*.js', async (route) => {
          await released;
          await route.continue();
        }),
    });
    await button(page, 'Actions for CI deploy').click();
    await page.getByRole('status').getByText('Loading…').waitFor();
    release();
    await page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
  });

  test('the whole row opens the details, and its link opens them in another tab too', async () => {
    const { page } = await openWith([{ name: 'CI deploy', usedMinutesAgo: 5.1 }]);
    for (const part of ['Read-only', '5 minutes ago', 'in 3 months']) {
      // The link covers it.
      await row(page, 'CI deploy').getByText(part).click({ force: true });
      await button(dialog(page, 'CI deploy'), 'Close').click();
      await dialog(page, 'CI deploy').waitFor({ state: 'detached' });
      await focusOn(keyLink(page, 'CI deploy'));
    }
    const opened = page.context().waitForEvent('page');
    await row(page, 'CI deploy')
      .getByText('Read-only')
      .click({ force: true, modifiers: ['ControlOrMeta'] });
    await dialog(await opened, 'CI deploy').waitFor();
    expect(await dialog(page, 'CI deploy').count()).toBe(0);
  });

  test('the address contains tab, filters and key, so that back, forward, a reload and a link restore them', async () => {
    const { page, owner } = await openWith([{ name: 'Current' }, { name: 'Former', revokedDaysAgo: 1 }]);
    const expectAt = (address: string) =>
      page.waitForURL(({ href }) => href === `${stage.service.url}/settings/api-keys${address}`);
    const { items } = await owner.person.list();
    const [current, former] = [items[0]!.id, items[1]!.id];
    await showEnded(page);
    await showDetails(page, 'Former');
    await expectAt(`?key=${former}`);
    await page.goto(`${stage.service.url}/settings/api-keys?status=ended`);
    await showDetails(page, 'Former');
    await expectAt(`?status=ended&key=${former}`);
    await page.reload();
    await button(dialog(page, 'Former'), 'Close').click();
    await dialog(page, 'Former').waitFor({ state: 'detached' });
    await expectAt('?status=ended');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Rejected', { exact: true }).click();
    await page.getByLabel('Key', { exact: true }).selectOption(current);
    await expectAt(`?tab=activity&events=failures&key=${current}`);
    await page.reload();
    await page.getByText(/^No activity of this type for this key\./).waitFor();
    expect(await page.getByRole('radio', { name: 'Rejected' }).isChecked()).toBe(true);
    // The details are closed: "back" does not open them again.
    for (const address of ['?tab=activity&events=failures', '?tab=activity', '?status=ended']) {
      await page.goBack();
      await expectAt(address);
    }
    await row(page, 'Former').waitFor();
    await page.goForward();
    await page.getByRole('tab', { name: 'Activity', selected: true }).waitFor();
    await page.goto(`${stage.service.url}/settings/api-keys?status=lost&key=${randomUUID()}`);
    await dialog(page, 'API key').getByText('You have no key with this ID.').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'Current').waitFor();
    await focusOn(heading(page));
  });
});
