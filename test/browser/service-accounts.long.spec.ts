import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Owner } from '../support/callers/owners.js';
import { englishOn } from './support/english-on.js';
import { tabTo } from './support/keyboard.js';
import { expectFits, look } from './support/look.js';
import { putKeys } from './support/rows.js';
import { focusOn, heading, row, showDetails } from './support/screen.js';
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
