import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { press, tabTo } from './support/keyboard.js';
import { DESKTOP, PHONE, wider, ZOOMED } from './support/look.js';
import {
  button,
  chooseAction,
  dialog,
  fillCreate,
  focusOn,
  openCreate,
  row,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

/** 150 resources, each to read and to write. */
const MANY = Array.from({ length: 150 }, (_, n) => [`area-${n}:read`, `area-${n}:write`]).flat();

const permission = (page: Page, name: string) =>
  page.getByRole('checkbox', {
    name: name
      .replace('/', ' ')
      .replace(/(.*):(.)(.*)/, (_, what, first, rest) => `${first.toUpperCase()}${rest} ${what}`),
    exact: true,
  });
const networks = (page: Page) => page.getByRole('textbox', { name: 'Allowed networks' });

describe('a key that is limited', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const ownerWith = async (permissions: readonly string[]) => {
    const owner = await stage.newOwner();
    await give(owner, permissions);
    return owner;
  };
  const give = ({ id, email }: { id: string; email: string }, permissions: readonly string[]) =>
    stage.service.clients.putAccount({ id, email, displayName: 'Ada Lovelace', permissions: [...permissions] });

  test('is created by keyboard alone with three out of 300 permissions, one of them for one of many', async () => {
    const owner = await ownerWith(MANY);
    const { page } = await stage.open({ owner });
    await press(page, button(page, 'Create your first API key'));
    await focusOn(page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('CI deploy');
    await press(page, button(page, 'Access: read everything you can, change'));
    await focusOn(page.getByRole('radio', { name: 'Read-only' }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByRole('radio', { name: 'Everything you may read and write' }));
    await page.keyboard.press('ArrowDown');
    await page.getByText('0 of 300 selected').waitFor();
    for (const size of [ZOOMED, DESKTOP]) expect(await wider(page, size)).toEqual([]);
    await tabTo(page, page.getByRole('searchbox', { name: 'Search permissions' }));
    await page.keyboard.type('AREA-14');
    await permission(page, 'area-0:read').waitFor({ state: 'detached' });
    const onlyOne = button(page, 'Only one of them… area-14');
    await tabTo(page, permission(page, 'area-14:read'));
    const opacity = () => onlyOne.evaluate((link) => link.ownerDocument.defaultView!.getComputedStyle(link).opacity);
    await eventually(async () => (await opacity()) === '1');
    await page.keyboard.press('ArrowDown');
    await eventually(async () => (await opacity()) === '0');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await focusOn(permission(page, 'area-140:write'));
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await focusOn(button(page, 'Only one of them… area-141'));
    await page.keyboard.press('Enter');
    await page.keyboard.type('42');
    await page.keyboard.press('Enter');
    await focusOn(permission(page, 'area-141/42:read'));
    await page.getByText('3 of 302 selected').waitFor();
    // Below the whole list.
    const days = page.getByRole('radio', { name: '90 days' });
    const expiry = button(page, 'Expires in: for 90 days, change');
    for (const size of [PHONE, DESKTOP]) {
      await page.setViewportSize(size);
      await press(page, expiry);
      await focusOn(days);
      const { y } = (await days.boundingBox())!;
      expect(y > 60 && y < size.height - 100).toBe(true);
      if (size === PHONE) await press(page, expiry);
    }
    // The list is one stop.
    await page.keyboard.press('Shift+Tab');
    await focusOn(permission(page, 'area-141/42:read'));
    await tabTo(page, page.getByLabel('Your password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await shownKey(page).waitFor();
    const [key] = (await owner.person.list()).items;
    expect(key!.permissions).toEqual(['area-14:read', 'area-140:write', 'area-141/42:read']);
    await storeKey(page);
    await row(page, 'CI deploy').getByText('3 permissions', { exact: true }).waitFor();
  });

  test('works only from its networks, which are checked at their field and shown where the key is', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await fillCreate(page);
    await networks(page).fill('example.com');
    await button(page, 'Allowed networks: from 1 network, change').click();
    await button(page, 'Create key').click();
    await page.getByRole('textbox', { name: 'Allowed networks', description: /Not a network: example\.com/ }).waitFor();
    await focusOn(networks(page));
    await networks(page).fill('203.0.113.7/24');
    await page.getByText('127.0.0.1', { exact: true }).waitFor();
    await button(page, 'Add my current address').click();
    expect(await networks(page).inputValue()).toBe('203.0.113.7/24\n127.0.0.1');
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    const [key] = (await owner.person.list()).items;
    expect(key!.allowedNetworks).toEqual(['203.0.113.0/24', '127.0.0.1/32']);
    await storeKey(page);
    await row(page, 'CI deploy').getByText('2 networks', { exact: true }).waitFor();
    const details = await showDetails(page, 'CI deploy');
    await details.getByText('everything you may read', { exact: true }).waitFor();
    await details.getByText('203.0.113.0/24', { exact: true }).waitFor();
  });

  test('is created again with its limits, except what its owner has lost, and is shown with them before it ends', async () => {
    const owner = await ownerWith(['systems:read', 'reports:read', 'users:read']);
    await owner.person.newKey({
      name: 'CI deploy',
      permissions: ['systems/1:read', 'reports:read'],
      allowedNetworks: ['203.0.113.0/24'],
    });
    const { page } = await stage.open({ owner });
    await chooseAction(page, 'CI deploy', 'Rotate…');
    const rotation = dialog(page, 'Rotate “CI deploy”');
    await rotation.getByText('It has the same limits as the old one: 2 permissions; 1 network.').waitFor();
    await page.keyboard.press('Escape');
    await rotation.waitFor({ state: 'detached' });
    await chooseAction(page, 'CI deploy', 'Revoke…');
    const question = dialog(page, 'Revoke “CI deploy”?');
    for (const limit of ['Read systems 1', 'Read reports', '203.0.113.0/24']) {
      // oxlint-disable-next-line no-await-in-loop
      await question.getByText(limit, { exact: true }).waitFor();
    }
    await question.getByLabel('Yes, revoke it permanently').check();
    await button(question, 'Revoke key').click();
    await page.getByText('“CI deploy” was revoked').waitFor();

    await give(owner, ['systems:read', 'users:read']);
    await button(page, 'Ended (1)').click();
    await chooseAction(page, 'CI deploy', 'Create again…');
    await page.getByText('Left out, because you can’t give it: reports:read.').waitFor();
    // It stays in the list when it is no longer chosen.
    await permission(page, 'systems/1:read').uncheck();
    await page.getByText('0 of 3 selected').waitFor();
    await permission(page, 'systems/1:read').check();
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    const created = (await owner.person.list()).items[0]!;
    expect(created).toMatchObject({ permissions: ['systems/1:read'], allowedNetworks: ['203.0.113.0/24'] });
  });
});
