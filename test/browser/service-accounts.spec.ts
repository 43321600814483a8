import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Owner } from '../support/callers/owners.js';
import { englishOn } from './support/english-on.js';
import { tabTo } from './support/keyboard.js';
import { expectFits, look } from './support/look.js';
import { record } from './support/network.js';
import { countKeys, putKeys } from './support/rows.js';
import {
  actionsOf,
  button,
  chooseAction,
  createDialog,
  createKey,
  dialog,
  fillCreate,
  focusOn,
  heading,
  openCreate,
  rotateKey,
  row,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';
import { KEYS } from './support/states.js';

const headingOf = (page: Page, name: string) => page.getByRole('heading', { name: `API keys of ${name}`, exact: true });
const whose = (page: Page) => page.getByRole('combobox', { name: 'Keys of' });
const isOfAccounts = (sent: { url(): string }) => sent.url().endsWith('/v1/accounts');
const accountIn = (page: Page) => new URL(page.url()).searchParams.get('account');

describe('the keys of a service account', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const putBot = (id: string, managers: readonly Owner[], displayName = 'CI bot') =>
    stage.service.clients.putAccount({
      id,
      displayName,
      kind: 'ACCOUNT_KIND_SERVICE',
      permissions: ['systems:read', 'systems:write'],
      managers: { ids: managers.map((manager) => manager.id) },
    });
  /** A service account that this person and another one manage. */
  const newBot = async (owner: Owner) => {
    const id = `bot|${randomUUID()}`;
    const other = await stage.newOwner();
    await putBot(id, [owner, other]);
    return { id, other };
  };
  const managing = async () => {
    const owner = await stage.newOwner();
    const bot = await newBot(owner);
    return { owner, bot };
  };
  const openBot = async (owner: Owner, bot: { id: string }, options = {}) => {
    const page = await stage.visit(
      `${stage.service.url}/settings/api-keys?${new URLSearchParams({ account: bot.id })}`,
      options,
      [stage.cookieOf(owner)],
    );
    await headingOf(page, 'CI bot').waitFor();
    return page;
  };

  test('are chosen with a switch that only people who manage an account have, and the choice is in the address', async () => {
    const { owner, bot } = await managing();
    await putKeys(stage.service, bot, [{ name: 'Nightly build' }]);
    await putKeys(stage.service, owner, [{ name: 'My script' }]);
    const { page } = await stage.open({ owner });
    await row(page, 'My script').waitFor();
    await tabTo(page, whose(page));
    await page.keyboard.type('CI');
    await row(page, 'Nightly build').waitFor();
    await headingOf(page, 'CI bot').waitFor();
    await page.getByRole('status').getByText('Showing the keys of CI bot').waitFor({ state: 'attached' });
    await focusOn(whose(page));
    expect([accountIn(page), await row(page, 'My script').count()]).toEqual([bot.id, 0]);
    await page.reload();
    await row(page, 'Nightly build').waitFor();
    await page.goBack();
    await row(page, 'My script').waitFor();
    await heading(page).waitFor();
    expect(accountIn(page)).toBeNull();
    expect(await whose(page).inputValue()).toBe('');

    let answered!: Promise<unknown>;
    const { page: others } = await stage.open({
      prepare: async (page) => void (answered = page.waitForResponse(isOfAccounts)),
    });
    await others.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    await answered;
    expect(await whose(others).count()).toBe(0);
  });

  test('are created, rotated, renamed and revoked by a manager with their own password', async () => {
    const { owner, bot } = await managing();
    const page = await openBot(owner, bot);
    const calls = record(page, (request) => request.url().includes('/v1/') && !request.url().includes('/session'));
    const form = await openCreate(page);
    await form.getByText('This key belongs to CI bot. It keeps working when you leave.').waitFor();
    await form.getByText('Can read what the service account can read, and changes nothing.').waitFor();
    await look('service-account-create', page);
    await fillCreate(page, { name: 'Nightly build' });
    await button(page, 'Create key').click();
    const fullKey = (await shownKey(page).innerText()).trim();
    const { grant } = await stage.service.clients.validate(fullKey);
    expect(grant?.ownerId).toBe(bot.id);
    await storeKey(page);

    await chooseAction(page, 'Nightly build', 'Rotate…');
    await rotateKey(page);
    await storeKey(page);
    await chooseAction(page, 'Nightly build', 'End the old key now…');
    await page.getByLabel('Yes, end the old key permanently').check();
    await button(page, 'End old key').click();
    await page.getByText('The old “Nightly build” ended.').waitFor();

    await chooseAction(page, 'Nightly build', 'Rename');
    const details = dialog(page, 'Nightly build');
    await details.getByLabel('Name', { exact: true }).fill('Release build');
    await button(details, 'Save').click();
    const renamed = dialog(page, 'Release build');
    await renamed.getByText('Made by').waitFor();
    expect(await factOf(renamed, 'Made by')).toBe('You');
    await button(renamed, 'Revoke…').click();
    await page.getByLabel('Yes, revoke it permanently').check();
    await button(page, 'Revoke key').click();
    await page.getByText('“Release build” was revoked').waitFor();
    expect(await countKeys(stage.service, bot)).toEqual({ all: 2, active: 0 });
    expect(await countKeys(stage.service, owner)).toEqual({ all: 0, active: 0 });
    const ofOwn = calls.map((request) => new URL(request.url())).filter((url) => url.pathname !== '/v1/accounts');
    expect(ofOwn.filter((url) => url.searchParams.get('account') !== bot.id).map(String)).toEqual([]);
    expect(ofOwn.length).toBeGreaterThan(5);
  });

  test('of an account that is suspended can be seen and revoked, and no new ones are offered', async () => {
    const { owner, bot } = await managing();
    await putKeys(stage.service, bot, [
      { name: 'Nightly build', expiresInDays: 3 },
      { name: 'Former', revokedDaysAgo: 2, revokedReason: 'leaked' },
    ]);
    const page = await openBot(owner, bot);
    await openCreate(page);
    await fillCreate(page);
    await stage.service.clients.account('SuspendAccount', bot.id);
    await button(page, 'Create key').click();
    await page.getByRole('alert').getByText('suspended or deleted, so no key was made').waitFor();
    await page.keyboard.press('Escape');
    await createDialog(page).waitFor({ state: 'detached' });
    const notice = page.getByRole('note').filter({ hasText: 'CI bot is suspended' });
    await notice.getByText('Its keys do not work, and no new ones can be made. You can revoke them.').waitFor();
    await whose(page).getByText('CI bot (suspended)').waitFor({ state: 'attached' });
    const making = page.getByRole('button', { name: /Create|Rotate|Replace/ });
    expect(await making.count()).toBe(0);
    const pauses = ['For 5 minutes', 'For an hour', 'For a day'];
    expect(await actionsOf(page, 'Nightly build')).toEqual(['Details', 'Rename', 'Copy ID', ...pauses, 'Revoke…']);
    await page.keyboard.press('Escape');
    const details = await showDetails(page, 'Nightly build');
    await button(details, 'Revoke…').waitFor();
    expect(await making.count()).toBe(0);
    await button(details, 'Revoke…').click();
    await page.getByLabel('Yes, revoke it permanently').check();
    await button(page, 'Revoke key').click();
    await page.getByText('“Nightly build” was revoked').waitFor();
    expect(await countKeys(stage.service, bot)).toEqual({ all: 2, active: 0 });
  });

  test('are lost to a manager who was removed while the form was open, who then sees their own keys', async () => {
    const { owner, bot } = await managing();
    await putKeys(stage.service, owner, [{ name: 'My script' }]);
    const { page } = await stage.open({ owner });
    await whose(page).selectOption({ label: 'CI bot' });
    await createKey(page, 'Before');
    await storeKey(page);
    await openCreate(page);
    await fillCreate(page, { name: 'After' });
    await putBot(bot.id, [bot.other]);
    await button(page, 'Create key').click();
    await createDialog(page)
      .getByText('You don’t manage this service account any more, so nothing was changed.')
      .waitFor();
    await page.keyboard.press('Escape');
    const notice = page.getByRole('alert').filter({ hasText: 'You no longer manage CI bot' });
    await notice.waitFor();
    await row(page, 'My script').waitFor();
    await whose(page).waitFor({ state: 'detached' });
    expect(accountIn(page)).toBeNull();
    expect(await countKeys(stage.service, bot)).toEqual({ all: 1, active: 1 });
    await button(notice, 'Close').click();
    await notice.waitFor({ state: 'detached' });
    await focusOn(heading(page));
    await openCreate(page);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await page.keyboard.press('Escape');
    // "Back" does not lead to the account again.
    await page.goBack();
    await row(page, 'My script').waitFor();
    expect(accountIn(page)).toBeNull();
  });

  test('look as in the pictures, in English and in German', async () => {
    const { owner, bot } = await managing();
    await putKeys(stage.service, bot, KEYS.slice(0, 3));
    await rename(bot.other, 'Grace Hopper');
    const page = await openBot(owner, bot);
    await row(page, 'CI deploy').waitFor();
    await look('service-accounts', page);
    await putBot(bot.id, [owner], 'A_name_of_a_service_account_without_one_single_place_to_break_it');
    await page.reload();
    await headingOf(page, 'A_name_of_a_service_account_without_one_single_place_to_break_it').waitFor();
    await expectFits('service-account-long', page);
    await putBot(bot.id, [owner]);
    const german = await stage.visit(page.url(), { options: { locale: 'de-DE' } }, [stage.cookieOf(owner)]);
    await row(german, 'CI deploy').waitFor();
    await german.getByRole('heading', { name: 'API-Schlüssel von CI bot' }).waitFor();
    expect(await englishOn(german)).toEqual([]);
    await expectFits('german-service-accounts', german);
    const details = await showDetails(german, 'CI deploy');
    await details.getByText('Erstellt von').waitFor();
    expect(await englishOn(german)).toEqual([]);
  });

  const rename = ({ id, email }: Owner, displayName: string) =>
    stage.service.clients.putAccount({ id, email, displayName, permissions: ['systems:read', 'systems:write'] });
});

/** What the details say about a key under this name. */
const factOf = (details: Locator, name: string) =>
  details.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]').innerText();
