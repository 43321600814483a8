import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { putKeys } from './support/rows.js';
import {
  actionsOf,
  button,
  chooseAction,
  createDialog,
  dialog,
  filter,
  focusOn,
  heading,
  keyLink,
  keyNames,
  openCreate,
  row,
  showDetails,
  showEnded,
  showFilter,
} from './support/screen.js';
import { tabTo } from './support/keyboard.js';
import { Stage } from './support/stage.js';

/** "Nov 20", with the year if it is another one. */
function dayOf(daysAgo: number): string {
  const day = new Date(Date.now() - daysAgo * 86_400_000);
  const year = day.getUTCFullYear() === new Date().getUTCFullYear() ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC', ...year }).format(day);
}

const expectRows = (page: Page, count: number) =>
  eventually(async () => (await page.getByRole('rowheader').count()) === count);

const idOf = async (page: Page, name: string) => keyLink(page, name).getAttribute('data-key-id');

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

  test('without keys it explains what a key is for, and offers to create one', async () => {
    const { page } = await stage.open();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    await page.getByText(/A key lets a script, a CI job or another program call the API as you/).waitFor();
    await openCreate(page);
  });

  test('shows the active keys, newest first, and the ended ones folded below, with how each ended', async () => {
    const { page } = await openWith([
      { name: 'Newer' },
      { name: 'Older', access: 'read-and-write', note: 'In the old data centre', shown: '41d8a6f09c3e' },
      { name: 'Expired', expiresInDays: -3 },
      { name: 'Stopped', revokedDaysAgo: 2, revokedReason: 'owner' },
      { name: 'Stopped by others', revokedDaysAgo: 40, revokedReason: 'platform' },
      { name: 'Stopped by nobody', revokedDaysAgo: 50 },
    ]);
    await row(page, 'Older').waitFor();
    expect(await keyNames(page)).toEqual(['Newer', 'Older']);
    await page.getByText('2 active keys, 3 more possible').waitFor();
    expect(await row(page, 'Older').innerText()).toMatch(
      /^Older\s+In the old data centre\s+lk_41d8a6f09c3e…\s+Read and write\s+No requests\s+never\s+in 3 months$/,
    );
    const ended = button(page, 'Ended (4)');
    expect(await ended.getAttribute('aria-expanded')).toBe('false');
    await ended.click();
    expect(await keyNames(page)).toEqual([
      'Newer',
      'Older',
      'Expired',
      'Stopped',
      'Stopped by others',
      'Stopped by nobody',
    ]);
    await row(page, 'Expired')
      .getByText(`Expired on ${dayOf(3)}`)
      .waitFor();
    expect((await row(page, 'Stopped').first().innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`Revoked by you ${dayOf(2)}$`),
    );
    await row(page, 'Stopped by others').getByText('Revoked by your platform').waitFor();
    await row(page, 'Stopped by nobody').getByText('Revoked', { exact: true }).waitFor();
    const columns = ['Name', 'Access', 'Last 30 days', 'Last used', 'Expires', 'Actions'];
    const tables = await page.getByRole('columnheader').allInnerTexts();
    expect(tables).toEqual([...columns, ...columns.with(4, 'Ended')]);
    expect((await page.getByRole('radiogroup').count()) + (await page.getByRole('searchbox').count())).toBe(0);
  });

  test('says where a leaked key was found, as a link only if it is https, and which key replaced another', async () => {
    const leaked = { revokedDaysAgo: 1, revokedReason: 'leaked' };
    const { page, owner } = await openWith([
      { name: 'By https', ...leaked, leak: { source: 'GitHub', url: 'https://github.com/acme/log' } },
      { name: 'By script', ...leaked, leak: { source: 'a finder', url: 'javascript:alert(1)' } },
      { name: 'Unknown', ...leaked },
    ]);
    const { apiKey } = await owner.person.newKey({ name: 'Rotated' });
    const next = (await owner.person.rotate(apiKey.id)).body;
    await owner.person.revoke(apiKey.id);
    await page.reload();
    await showEnded(page);
    const link = row(page, 'By https').getByRole('link', { name: 'github.com (opens in a new tab)' });
    expect(
      await link.evaluate((node) => [node.getAttribute('href'), node.getAttribute('rel'), node.getAttribute('target')]),
    ).toEqual(['https://github.com/acme/log', 'noopener noreferrer', '_blank']);
    await row(page, 'By script').getByText('a finder').waitFor();
    expect(await row(page, 'By script').getByRole('link').count()).toBe(1);
    await row(page, 'Unknown').getByText('Revoked · leaked').waitFor();
    expect(next.apiKey.replaces).toBe(apiKey.id);
  });

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

  test('a screen reader gets each row as a row, and the drawing of its last 30 days as a sentence', async () => {
    const { page } = await openWith([
      {
        name: 'CI deploy',
        note: 'GitHub Actions',
        shown: '7c1f4e0a9b2d',
        usedMinutesAgo: 3.05 * 60,
        use: [
          { daysAgo: 9, granted: 7000, refused: 0 },
          { daysAgo: 3, granted: 38, refused: 204 },
        ],
      },
    ]);
    await row(page, 'CI deploy').waitFor();
    const day = dayOf(3);
    expect(await row(page, 'CI deploy').ariaSnapshot())
      .toBe(`- 'row "CI deploy GitHub Actions lk_7c1f4e0a9b2d… Read-only Last 30 days: 7,038 accepted, 204 rejected; last on ${day} 3 hours ago in 3 months Actions for CI deploy"':
  - rowheader "CI deploy GitHub Actions lk_7c1f4e0a9b2d…":
    - link "CI deploy":
      - /url: "?key=${await idOf(page, 'CI deploy')}"
    - text: GitHub Actions
    - code: lk_7c1f4e0a9b2d…
  - cell "Read-only"
  - 'cell "Last 30 days: 7,038 accepted, 204 rejected; last on ${day}"':
    - 'img "Last 30 days: 7,038 accepted, 204 rejected; last on ${day}"'
  - cell "3 hours ago":
    - time: 3 hours ago
  - cell "in 3 months":
    - time: in 3 months
  - cell "Actions for CI deploy":
    - button "Actions for CI deploy"`);
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

  test('the menu of a key shows its details and copies its ID', async () => {
    const { page } = await openWith([{ name: 'CI deploy' }, { name: 'Former', revokedDaysAgo: 1 }]);
    const id = await idOf(page, 'CI deploy');
    await chooseAction(page, 'CI deploy', 'Copy ID');
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(id);
    await chooseAction(page, 'CI deploy', 'Details');
    await button(dialog(page, 'CI deploy'), 'Close').click();
    await focusOn(button(page, 'Actions for CI deploy'));
    await showEnded(page);
    expect(await actionsOf(page, 'Former')).toEqual(['Details', 'Copy ID', 'Create again…']);
  });

  test('nine keys or more have filters with counts, and a search by name, note and prefix', async () => {
    const { page } = await openWith([
      { name: 'CI deploy', expiresInDays: 3, shown: '7c1f4e0a9b2d' },
      { name: 'Backup', note: 'Nightly' },
      ...Array.from({ length: 7 }, (_, n) => ({ name: `Script ${n}`, revokedDaysAgo: 1 })),
    ]);
    for (const name of ['All 9', 'Active 2', 'Needs attention 1', 'Ended 7'])
      await filter(page, name).waitFor({ state: 'attached' });
    expect(await filter(page, 'Active 2').isChecked()).toBe(true);
    for (const [name, count] of [
      ['All 9', 9],
      ['Needs attention 1', 1],
      ['Ended 7', 7],
      ['Active 2', 2],
    ] as const) {
      await showFilter(page, name);
      await expectRows(page, count);
    }
    const search = page.getByRole('searchbox', { name: 'Search by name, note or prefix' });
    for (const [text, name] of [
      ['dePLOY', 'CI deploy'],
      ['nightly', 'Backup'],
      ['lk_7c1f4e0a9b2d0123', 'CI deploy'],
      ['script 3', 'Script 3'],
    ] as const) {
      await search.fill(text);
      await page.getByText('1 key shown').waitFor({ state: 'attached' });
      expect(await keyNames(page)).toEqual([name]);
    }
    await search.fill('nothing like it');
    await page.getByText('No key has “nothing like it” in its name, note or prefix.').waitFor();
    await button(page, 'Clear search').click();
    await row(page, 'Backup').waitFor();
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

  test('with five active keys the create button can be focused, explains itself and opens nothing', async () => {
    const { page } = await openWith(Array.from({ length: 5 }, (_, n) => ({ name: `Key ${n}` })));
    const create = page.getByRole('button', {
      name: 'Create API key',
      description: 'This service allows 5 active keys. Revoke one that you no longer need, then try again.',
    });
    await create.waitFor();
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await create.focus();
    await page.keyboard.press('Enter');
    await create.click({ force: true });
    expect(await createDialog(page).count()).toBe(0);
  });
});
