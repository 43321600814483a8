import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Owner } from '../support/callers/owners.js';
import { look } from './support/look.js';
import { record } from './support/network.js';
import { countKeys } from './support/rows.js';
import {
  button,
  chooseAction,
  chooseMore,
  dialog,
  fillCreate,
  openCreate,
  rotateKey,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

const headingOf = (page: Page, name: string) => page.getByRole('heading', { name: `API keys of ${name}`, exact: true });

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

  test('are created, rotated, renamed and revoked by a manager with their own password', async () => {
    const { owner, bot } = await managing();
    const page = await openBot(owner, bot);
    const calls = record(page, (request) => request.url().includes('/v1/') && !request.url().includes('/session'));
    const form = await openCreate(page);
    await form.getByText('This key belongs to CI bot. It keeps working when you leave.').waitFor();
    await form.getByRole('radio', { name: 'Everything the service account may read' }).waitFor();
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

    await chooseAction(page, 'Nightly build', 'Edit name and note');
    const details = dialog(page, 'Nightly build');
    await details.getByLabel('Name', { exact: true }).fill('Release build');
    await button(details, 'Save').click();
    await details.waitFor({ state: 'detached' });
    const renamed = await showDetails(page, 'Release build');
    await renamed.getByText('made by you').waitFor();
    await chooseMore(renamed, 'Revoke…');
    await page.getByLabel('Yes, revoke it permanently').check();
    await button(page, 'Revoke key').click();
    await page.getByText('“Release build” was revoked').waitFor();
    expect(await countKeys(stage.service, bot)).toEqual({ all: 2, active: 0 });
    expect(await countKeys(stage.service, owner)).toEqual({ all: 0, active: 0 });
    const ofOwn = calls.map((request) => new URL(request.url())).filter((url) => url.pathname !== '/v1/accounts');
    expect(ofOwn.filter((url) => url.searchParams.get('account') !== bot.id).map(String)).toEqual([]);
    expect(ofOwn.length).toBeGreaterThan(5);
  });
});
