import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { putKeys } from './support/rows.js';
import {
  actionsOf,
  button,
  dialog,
  focusOn,
  heading,
  keyLink,
  keyNames,
  row,
  showDetails,
  showEnded,
  showFilter,
} from './support/screen.js';
import { tabTo } from './support/keyboard.js';
import { Stage } from './support/stage.js';

const expectRows = (page: Page, count: number) =>
  eventually(async () => (await page.getByRole('rowheader').count()) === count);

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

  test('last use and expiry are in words, with a warning 7 days before the expiry', async () => {
    const { page } = await openWith([
      { name: 'Soon', expiresInDays: 6.9, usedMinutesAgo: 3.05 * 60 },
      { name: 'Later', expiresInDays: 7.4 },
      { name: 'Half a year', expiresInDays: 184 },
    ]);
    await row(page, 'Soon').getByText('3 hours ago').waitFor();
    await row(page, 'Later').getByText('never', { exact: true }).waitFor();
    const colour = (name: string, days: string): Promise<string> =>
      row(page, name)
        .getByText(days, { exact: true })
        .evaluate((node) => node.ownerDocument.defaultView!.getComputedStyle(node).color);
    expect(await colour('Soon', 'in 7 days')).not.toBe(await colour('Later', 'in 7 days'));
    await row(page, 'Half a year').getByText('in 6 months', { exact: true }).waitFor();
  });

  test('a key is active, and can be revoked, where the browser’s clock is 100 days ahead', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy', expiresInDays: 30 }]);
    const ahead = Date.now() + 100 * 86_400_000;
    const { page } = await stage.open({ owner, prepare: (page) => page.clock.setFixedTime(ahead) });
    await row(page, 'CI deploy').getByText('in 30 days').waitFor();
    expect(await actionsOf(page, 'CI deploy')).toContain('Revoke…');
  });

  test('an exact time is shown on hover and in the row with the focus, and is a description for screen readers', async () => {
    const { page } = await openWith([{ name: 'CI deploy', usedMinutesAgo: 3.05 * 60 }]);
    const lastUsed = row(page, 'CI deploy').getByText('3 hours ago');
    const exact = () =>
      lastUsed.evaluate((time) => time.ownerDocument.defaultView!.getComputedStyle(time, '::after').content);
    await lastUsed.hover();
    expect(await exact()).toMatch(/^"[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M"$/);
    await page.mouse.move(0, 0);
    expect(await exact()).toBe('none');
    await tabTo(page, keyLink(page, 'CI deploy'));
    expect(await exact()).toMatch(/\d{4}/);
    expect(await lastUsed.getAttribute('aria-description')).toMatch(/\d{4}/);
    expect(await lastUsed.getAttribute('tabindex')).toBeNull();
  });

  test('the whole row opens the details, and its link opens them in another tab too', async () => {
    const { page } = await openWith([{ name: 'CI deploy', usedMinutesAgo: 5.1 }]);
    for (const part of ['Read-only', 'No requests', 'in 3 months']) {
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

  test('a long list has pages: those with active keys come by themselves, and a search covers all of them', async () => {
    const { page } = await openWith([
      ...Array.from({ length: 60 }, (_, n) => ({ name: `Key no. ${n}.`, revokedDaysAgo: 40 })),
      { name: 'Oldest' },
    ]);
    await row(page, 'Oldest').waitFor();
    const { page: more } = await openWith(
      Array.from({ length: 60 }, (_, n) => ({ name: `Key no. ${n}.`, revokedDaysAgo: 40 })),
    );
    await more.getByText('Ended (50+)').click();
    await expectRows(more, 50);
    await button(more, 'Show more').click();
    await expectRows(more, 60);
    expect(await button(more, 'Show more').count()).toBe(0);
    await more.reload();
    await more.getByRole('searchbox').fill('no. 57.');
    await row(more, 'Key no. 57.').waitFor();
    expect(await keyNames(more)).toEqual(['Key no. 57.']);
    await more.reload();
    await showFilter(more, 'All 50+');
    await expectRows(more, 60);
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
