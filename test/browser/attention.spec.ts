import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { tabTo } from './support/keyboard.js';
import { putKeys, type KeyRow } from './support/rows.js';
import { button, dialog, focusOn, keyNames, row, showFilter } from './support/screen.js';
import { Stage } from './support/stage.js';

const EXPIRED: KeyRow = {
  name: 'Old laptop',
  access: 'read-and-write',
  createdDaysAgo: 31.2,
  expiresInDays: -1.2,
  usedMinutesAgo: 1.3 * 1440,
  use: [{ daysAgo: 0, granted: 0, refused: 212 }],
};

const LEAKED: KeyRow = {
  name: 'CI deploy',
  access: 'read-and-write',
  createdDaysAgo: 3,
  expiresInDays: 27,
  revokedDaysAgo: 0.2,
  revokedReason: 'leaked',
  leak: { source: null, url: 'https://github.com/acme/log' },
};

const section = (page: Page) => page.getByRole('region', { name: 'Needs attention' });

describe('what needs attention', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  async function openWith(keys: readonly KeyRow[]): Promise<Page> {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    const { page } = await stage.open({ owner });
    await button(page, 'Create API key').waitFor();
    return page;
  }

  /** The form for a new key has the choices of the old one. */
  async function expectChoices(page: Page, name: string): Promise<void> {
    const form = dialog(page, 'Create again');
    await form.waitFor();
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    expect(await form.getByRole('radio', { name: 'Read and write' }).isChecked()).toBe(true);
    expect(await form.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
  }

  test.each([
    {
      ...EXPIRED,
      why: /Old laptop expired (yesterday|2 days ago) · 212 requests rejected since/,
      fix: 'Create again…: Old laptop',
    },
    { ...LEAKED, why: /CI deploy leaked on github\.com, revoked 4 hours ago/, fix: 'Replace…: CI deploy' },
  ])('says why a job broke, and fixes it with one click: $name', async ({ why, fix, ...key }) => {
    const page = await openWith([{ name: 'Fine' }, key]);
    await section(page).getByText(why).waitFor();
    await button(section(page), fix).click();
    await expectChoices(page, key.name);
  });

  test.each([
    { ...EXPIRED, fix: 'Create again…: Old laptop' },
    { ...LEAKED, fix: 'Replace…: CI deploy' },
  ])('is within reach of the keyboard, right after the button that creates a key: $name', async ({ fix, ...key }) => {
    const page = await openWith([{ name: 'Fine' }, key]);
    const target: Locator = button(section(page), fix);
    await target.waitFor();
    await tabTo(page, button(page, 'Create API key'));
    expect(await tabTo(page, target)).toBe(2);
    await page.keyboard.press('Enter');
    await expectChoices(page, key.name);
    await page.keyboard.press('Escape');
    await focusOn(target);
  });

  test('leads to what the key did, to a rotation, and to a rotation that nobody finished', async () => {
    const page = await openWith([
      { name: 'Nightly', expiresInDays: 3.1, usedMinutesAgo: 60 },
      { name: 'Backup', createdDaysAgo: 1, graceSeconds: 86_400 },
      { name: 'Backup', expiresInDays: 2.1 },
    ]);
    await section(page).getByText('Nightly expires in 3 days').waitFor();
    await section(page).getByText('It is in use. Rotate it now, and nothing stops working.').waitFor();
    await section(page).getByRole('link', { name: 'See what it did: Nightly' }).click();
    await button(dialog(page, 'Nightly'), 'Close').click();
    await dialog(page, 'Nightly').waitFor({ state: 'detached' });
    await focusOn(section(page).getByRole('link', { name: 'See what it did: Nightly' }));
    await button(section(page), 'Rotate…: Nightly').click();
    await dialog(page, 'Rotate “Nightly”').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page, 'Rotate “Nightly”').waitFor({ state: 'detached' });
    await section(page).getByText('The new key has not been used yet; the old one expires in 2 days').waitFor();
    await section(page)
      .getByRole('button', { name: /: Backup$/ })
      .click();
    await page.getByRole('dialog').getByText('The new key is revoked').waitFor();
  });

  test('is absent when nothing does, shows three lines at first, and has a filter', async () => {
    const page = await openWith([{ name: 'Fine' }]);
    await row(page, 'Fine').waitFor();
    expect(await section(page).count()).toBe(0);
    const soon = [1, 2, 3, 4].map((days) => ({ name: `Soon ${days}`, expiresInDays: days + 0.1 }));
    const former = [1, 2, 3, 4, 5].map((n) => ({ name: `Former ${n}`, revokedDaysAgo: n }));
    const busy = await openWith([...soon, ...former]);
    await section(busy).waitFor();
    expect(await section(busy).getByRole('listitem').count()).toBe(3);
    await button(busy, 'Show 1 more').click();
    await focusOn(button(section(busy), 'Rotate…: Soon 4'));
    await showFilter(busy, 'Needs attention 4');
    await row(busy, 'Soon 4').waitFor();
    expect(await keyNames(busy)).toEqual(['Soon 1', 'Soon 2', 'Soon 3', 'Soon 4']);
  });
});
