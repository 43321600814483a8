import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { press, tabTo } from './support/keyboard.js';
import { isCreation, record } from './support/network.js';
import {
  button,
  chooseAction,
  createDialog,
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

const permission = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const only = (page: Page) => page.getByRole('radio', { name: 'Only these' });
const networks = (page: Page) => page.getByRole('textbox', { name: 'Allowed networks' });
const unfoldNetworks = (page: Page) => page.locator('summary').getByText('Allowed networks').click();

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
    await tabTo(page, page.getByRole('radio', { name: 'Read-only' }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByRole('radio', { name: 'Everything I may read and write' }));
    await page.keyboard.press('ArrowDown');
    await page.getByText('0 of 300 selected').waitFor();
    await tabTo(page, page.getByRole('searchbox', { name: 'Search permissions' }));
    await page.keyboard.type('AREA-14');
    await permission(page, 'area-0:read').waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await focusOn(permission(page, 'area-14:read'));
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await focusOn(permission(page, 'area-140:write'));
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await focusOn(button(page, 'Only one of them… area-141'));
    await page.keyboard.press('Enter');
    await page.keyboard.type('42');
    await page.keyboard.press('Enter');
    await focusOn(permission(page, 'area-141/42:read'));
    await page.getByText('3 of 300 selected').waitFor();
    // The list is one stop.
    expect(await tabTo(page, page.getByRole('radio', { name: '90 days' }))).toBe(1);
    await tabTo(page, page.getByLabel('Your password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await shownKey(page).waitFor();
    const [key] = (await owner.person.list()).items;
    expect(key!.permissions).toEqual(['area-14:read', 'area-140:write', 'area-141/42:read']);
    await storeKey(page);
    await row(page, 'CI deploy').getByText('3 permissions', { exact: true }).waitFor();
  });

  test('may do everything by default, and else at least one thing and at most 100', async () => {
    const owner = await ownerWith(MANY);
    const { page } = await stage.open({ owner });
    const requests = record(page, isCreation);
    await openCreate(page);
    await page.getByRole('radio', { name: 'Everything I may read', checked: true }).waitFor();
    await fillCreate(page);
    await only(page).check();
    // A read-only key can use only half of them.
    await page.getByText('0 of 150 selected').waitFor();
    await button(page, 'Create key').click();
    await page.getByText('Choose at least one permission, or everything').waitFor();
    await focusOn(only(page));
    await permission(page, 'area-0:read').focus();
    for (let count = 0; count < 101; count += 1) {
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowDown');
    }
    await page.getByText('101 of 150 selected').waitFor();
    await button(page, 'Create key').click();
    await page.getByText('Choose at most 100 permissions, or everything').waitFor();
    await focusOn(only(page));
    expect(requests).toHaveLength(0);
    await page.getByRole('radio', { name: 'Everything I may read' }).check();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    expect(requests.map((request) => Object.keys(request.postDataJSON()))).not.toContainEqual(
      expect.arrayContaining(['permissions']),
    );
  });

  test('loses what a lower access level can’t use, and the form says so', async () => {
    const { page } = await stage.open();
    await openCreate(page);
    await page.getByRole('radio', { name: 'Read and write', exact: true }).check();
    await only(page).check();
    // Two permissions need no search.
    await permission(page, 'systems:write').check();
    await permission(page, 'systems:read').check();
    expect(await page.getByRole('searchbox', { name: 'Search permissions' }).count()).toBe(0);
    await page.getByRole('radio', { name: 'Read-only' }).check();
    await page
      .getByRole('status')
      .getByText('Left out, because a read-only key can only read: systems:write.')
      .waitFor();
    await page.getByText('1 of 1 selected').waitFor();
    expect(await permission(page, 'systems:write').count()).toBe(0);
  });

  test('takes one of many in place of all, and refuses an ID that no permission can have', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await fillCreate(page);
    await only(page).check();
    await permission(page, 'systems:read').check();
    await button(page, 'Only one of them… systems').click();
    const which = page.getByRole('textbox', { name: 'Which one of “systems”?' });
    await focusOn(which);
    await which.fill('a b');
    await button(page, 'Add').click();
    await page.getByText('Use letters, digits and').waitFor();
    await which.press('Escape');
    await which.waitFor({ state: 'detached' });
    await focusOn(button(page, 'Only one of them… systems'));
    await createDialog(page).waitFor();
    await page.keyboard.press('Enter');
    await which.fill('systems/sys-1');
    await button(page, 'Add').click();
    expect(await permission(page, 'systems/sys-1:read').isChecked()).toBe(true);
    expect(await permission(page, 'systems:read').isChecked()).toBe(false);
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    expect((await owner.person.list()).items).toMatchObject([{ permissions: ['systems/sys-1:read'] }]);
  });

  test('works only from its networks, which are checked at their field and shown where the key is', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await fillCreate(page);
    await unfoldNetworks(page);
    await networks(page).fill('example.com');
    await page.locator('summary').click();
    await button(page, 'Create key').click();
    await page
      .getByRole('textbox', { name: 'Allowed networks', description: /"example.com", which is a name/ })
      .waitFor();
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
    await details.getByText('Everything you may read', { exact: true }).waitFor();
    await details.getByText('203.0.113.0/24', { exact: true }).waitFor();
  });

  test('offers no address where the service is not sure of it', async () => {
    const { page } = await stage.open({
      options: { extraHTTPHeaders: { 'x-forwarded-for': '203.0.113.7' } },
    });
    await openCreate(page);
    const read = page.waitForResponse((response) => response.url().endsWith('/v1/session'));
    await unfoldNetworks(page);
    expect(await (await read).json()).toMatchObject({ clientIp: null });
    await page.getByText('Requests from other addresses are refused').waitFor();
    expect(await page.getByRole('button', { name: /^Add my current address/ }).count()).toBe(0);
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
    await rotation.getByText('It has the same limits as the old one: 2 permissions · 1 network.').waitFor();
    await page.keyboard.press('Escape');
    await rotation.waitFor({ state: 'detached' });
    await chooseAction(page, 'CI deploy', 'Revoke…');
    const question = dialog(page, 'Revoke “CI deploy”?');
    for (const limit of ['systems/1: read', 'reports: read', '203.0.113.0/24']) {
      // oxlint-disable-next-line no-await-in-loop
      await question.getByText(limit, { exact: true }).waitFor();
    }
    await question.getByLabel('Yes, revoke it permanently').check();
    await button(question, 'Revoke key').click();
    await page.getByText('“CI deploy” was revoked').waitFor();

    await give(owner, ['systems:read', 'users:read']);
    await button(page, 'Ended (1)').click();
    await chooseAction(page, 'CI deploy', 'Create again…');
    await page.getByText('Left out, because you can’t give it any more: reports:read.').waitFor();
    // It stays in the list when it is no longer chosen.
    await permission(page, 'systems/1:read').uncheck();
    await page.getByText('0 of 2 selected').waitFor();
    await permission(page, 'systems/1:read').check();
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    const created = (await owner.person.list()).items[0]!;
    expect(created).toMatchObject({ permissions: ['systems/1:read'], allowedNetworks: ['203.0.113.0/24'] });
  });

  test('whose owner loses a permission while the form is open is refused at the field, and the form leaves it out', async () => {
    const owner = await ownerWith(['systems:read', 'reports:read']);
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await fillCreate(page);
    await only(page).check();
    await permission(page, 'systems:read').check();
    await permission(page, 'reports:read').check();
    await give(owner, ['systems:read']);
    await button(page, 'Create key').click();
    await page.getByText('This holds "reports:read", which this account can\'t give').waitFor();
    await page.getByText('Left out, because you can’t give it any more: reports:read.').waitFor();
    await eventually(async () => (await permission(page, 'reports:read').count()) === 0);
  });
});
