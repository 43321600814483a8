import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { putKeys } from './support/rows.js';
import { randomUUID } from 'node:crypto';
import {
  button,
  createDialog,
  dialog,
  focusOn,
  heading,
  keyNames,
  openCreate,
  row,
  showDetails,
  showStatus,
} from './support/screen.js';
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

  test('without keys it explains what a key is for, and offers to create one', async () => {
    const { page } = await stage.open();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    await page.getByText(/A key lets a script, a CI job or another program call the API as you/).waitFor();
    await openCreate(page);
  });

  test('active keys are shown first, each status has its own list, newest first, and All has every key', async () => {
    const { page } = await openWith([
      { name: 'Newer' },
      { name: 'Older', access: 'read-and-write' },
      { name: 'Ended', expiresInDays: -3 },
      { name: 'Stopped', revokedDaysAgo: 2 },
    ]);
    await row(page, 'Older').waitFor();
    expect(await keyNames(page)).toEqual(['Newer', 'Older']);
    await page.getByText('2 of 5 active').waitFor();
    expect(await row(page, 'Older').innerText()).toMatch(/Older\s+Read and write\s+lk_[0-9a-f]{12}…/);
    await showStatus(page, 'Expired');
    await row(page, 'Ended').getByText('Expired 3 days ago').waitFor();
    expect(await keyNames(page)).toEqual(['Ended']);
    await showStatus(page, 'Revoked');
    await row(page, 'Stopped').getByText('Revoked 2 days ago').waitFor();
    expect(await keyNames(page)).toEqual(['Stopped']);
    await showStatus(page, 'All');
    await row(page, 'Newer').waitFor();
    expect(await keyNames(page)).toEqual(['Newer', 'Older', 'Ended', 'Stopped']);
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Name',
      'Created',
      'Last used',
      'Expires',
      'Actions',
    ]);
    await row(page, 'Newer').getByText('3 months ago', { exact: true }).waitFor();
    expect(await button(row(page, 'Stopped'), 'Actions for Stopped').count()).toBe(0);
  });

  test('last use and expiry are in words, with the exact time on hover and focus, and a warning 14 days before the expiry', async () => {
    const { page } = await openWith([
      { name: 'Soon', expiresInDays: 13.9, usedMinutesAgo: 3.05 },
      { name: 'Tomorrow', expiresInDays: 1 },
      { name: 'Later', expiresInDays: 14.4 },
      { name: 'Half a year', expiresInDays: 184 },
    ]);
    const lastUsed = row(page, 'Soon').getByText('3 minutes ago');
    await lastUsed.hover();
    await page.getByRole('tooltip', { name: /\d{4} at \d+:\d\d:\d\d [AP]M UTC/ }).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await lastUsed.focus();
    await page.getByRole('tooltip', { name: /\d{4} at \d+:\d\d:\d\d [AP]M UTC/ }).waitFor();
    await row(page, 'Tomorrow').getByText('never', { exact: true }).waitFor();
    await row(page, 'Soon').getByText('Expires in 14 days', { exact: true }).waitFor();
    await row(page, 'Tomorrow').getByText('Expires in 1 day', { exact: true }).waitFor();
    await row(page, 'Later').getByText('in 14 days', { exact: true }).waitFor();
    await row(page, 'Half a year').getByText('in 6 months', { exact: true }).waitFor();
  });

  test('nine keys or more can be searched by name, and a search without a match can be cleared', async () => {
    const { page } = await openWith(
      ['CI deploy', 'Backup', 'Reports', ...Array.from({ length: 6 }, (_, n) => `Script ${n}`)].map((name) => ({
        name,
        revokedDaysAgo: 1,
      })),
    );
    await showStatus(page, 'Revoked');
    const search = page.getByRole('searchbox', { name: 'Search keys by name' });
    await search.fill('dePLOY');
    await page.getByText('1 key shown').waitFor({ state: 'attached' });
    expect(await keyNames(page)).toEqual(['CI deploy']);
    await search.fill('nothing like it');
    await page.getByText('No key’s name contains “nothing like it”.').waitFor();
    await button(page, 'Clear search').click();
    await row(page, 'Script 5').waitFor();
  });

  test('a long list has pages, and a search covers all of them', async () => {
    const { page } = await openWith(
      Array.from({ length: 60 }, (_, n) => ({ name: `Key no. ${n}.`, revokedDaysAgo: 1 })),
    );
    await showStatus(page, 'Revoked');
    await row(page, 'Key no. 49.').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(50);
    await button(page, 'Show more').click();
    await row(page, 'Key no. 59.').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(60);
    expect(await button(page, 'Show more').count()).toBe(0);
    await page.reload();
    await showStatus(page, 'Revoked');
    await page.getByRole('searchbox').fill('no. 57.');
    await row(page, 'Key no. 57.').waitFor();
    expect(await keyNames(page)).toEqual(['Key no. 57.']);
  });

  test('the address contains tab, filters and key, so that back, forward, a reload and a link restore them', async () => {
    const { page, owner } = await openWith([{ name: 'Current' }, { name: 'Former', revokedDaysAgo: 1 }]);
    const expectAt = (address: string) =>
      page.waitForURL(({ href }) => href === `${stage.service.url}/settings/api-keys${address}`);
    const { items } = await owner.person.list();
    const [current, former] = [items[0]!.id, items[1]!.id];
    await showStatus(page, 'Revoked');
    await showDetails(page, 'Former');
    await expectAt(`?status=revoked&key=${former}`);
    await page.reload();
    await button(dialog(page, 'Former'), 'Close').click();
    await dialog(page, 'Former').waitFor({ state: 'detached' });
    await expectAt('?status=revoked');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Rejected', { exact: true }).click();
    await page.getByLabel('Key', { exact: true }).selectOption(current);
    await expectAt(`?tab=activity&events=failures&key=${current}`);
    await page.reload();
    await page.getByText('No activity of this type for this key.').waitFor();
    expect(await page.getByRole('radio', { name: 'Rejected' }).isChecked()).toBe(true);
    // The details are closed: "back" does not open them again.
    for (const address of ['?tab=activity&events=failures', '?tab=activity', '?status=revoked', '']) {
      await page.goBack();
      await expectAt(address);
    }
    await row(page, 'Current').waitFor();
    await page.goForward();
    await row(page, 'Former').waitFor();
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
      description: 'You have 5 of 5 active keys. Revoke one to create another.',
    });
    await create.waitFor();
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await create.focus();
    await page.keyboard.press('Enter');
    await create.click({ force: true });
    expect(await createDialog(page).count()).toBe(0);
  });
});
