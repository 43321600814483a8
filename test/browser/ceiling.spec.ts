import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD, type Owner } from '../support/callers/owners.js';
import { startService } from '../support/processes/service.js';
import { press, tabTo } from './support/keyboard.js';
import { isCreation, record } from './support/network.js';
import {
  button,
  chooseAction,
  createDialog,
  fillCreate,
  openCreate,
  rotateKey,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

type Limits = NonNullable<NonNullable<Parameters<Stage['service']['clients']['putAccount']>[0]>['limits']>;

const LIMITS: Limits = { maxAccess: 'ACCESS_LEVEL_READ_ONLY', maxKeyDays: 30, maxActiveKeys: 2 };
const writing = (page: Page, name = 'Read and write') => page.getByRole('radio', { name, exact: true });
const PRESETS = `[...document.querySelectorAll('input[name=preset]')].map(({ value }) => value)`;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Sets limits as the platform does. */
const limit = (stage: Stage, { id, email }: Owner, limits: Limits) =>
  stage.service.clients.putAccount({
    id,
    email,
    displayName: 'Ada Lovelace',
    permissions: ['systems:read', 'systems:write'],
    limits,
  });

describe('a person whose account is limited', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const ownerWith = async (limits: Limits) => {
    const owner = await stage.newOwner();
    await limit(stage, owner, limits);
    return owner;
  };

  test('is offered only what is allowed, with the reason, and creates such a key by keyboard alone', async () => {
    const owner = await ownerWith(LIMITS);
    const { page } = await stage.open({ owner });
    await press(page, button(page, 'Create your first API key'));
    await createDialog(page).waitFor();
    const reason = 'Your organisation allows read-only keys.';
    const group = page.getByRole('group', { name: 'Access', description: new RegExp(`^${reason}`) });
    await group.getByText(reason).waitFor();
    expect(await writing(page).isDisabled()).toBe(true);
    expect(await page.evaluate(PRESETS)).toEqual(['7', '30', 'custom']);
    await page.getByRole('radio', { name: '30 days', checked: true }).waitFor();
    await page.getByText(/^Your organisation allows keys of at most 30 days\. Expires on /).waitFor();
    await page.keyboard.type('CI deploy');
    await tabTo(page, page.getByRole('radio', { name: 'Read-only' }));
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Read-only' }).isChecked()).toBe(true);
    await tabTo(page, page.getByLabel('Your password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await shownKey(page).waitFor();
    await storeKey(page);
    await page.getByText('1 active key, 1 more possible').waitFor();
    const [key] = (await owner.person.list()).items;
    expect([key!.access, Date.parse(key!.expiresAt) - Date.parse(key!.createdAt)]).toEqual([
      'read-only',
      30 * 86_400_000,
    ]);
  });

  test('may choose a date within the limit, and a later one is refused in the form with the limit', async () => {
    const { page } = await stage.open({ owner: await ownerWith(LIMITS) });
    const requests = record(page, isCreation);
    await openCreate(page);
    await fillCreate(page);
    await page.getByRole('radio', { name: 'Custom' }).check();
    const date = page.getByLabel('Expiration date');
    expect([await date.getAttribute('min'), await date.getAttribute('max')]).toEqual([inDays(1), inDays(30)]);
    await date.fill(inDays(31));
    await button(page, 'Create key').click();
    await page.getByText('Your organisation allows keys of at most 30 days.', { exact: true }).waitFor();
    expect(requests).toHaveLength(0);
    await date.fill(inDays(30));
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
  });

  test('reads who set the number of keys once it is reached, and rotates a key also above it', async () => {
    const owner = await ownerWith(LIMITS);
    for (const name of ['one', 'two']) await owner.person.newKey({ name, access: 'read-only', expiresInDays: 1 });
    const { page } = await stage.open({ owner });
    const words = (allowed: string) =>
      `Your organisation allows ${allowed}. Revoke one that you no longer need, then try again.`;
    const create = (allowed: string) =>
      page.getByRole('button', { name: 'Create API key', description: words(allowed) });
    await create('2 active keys').waitFor();
    await page.getByText('2 active keys, the limit').waitFor();
    await limit(stage, owner, { maxActiveKeys: 1 });
    await page.reload();
    await create('1 active key').waitFor();
    await page.getByText('2 active keys, 1 allowed').waitFor();
    await chooseAction(page, 'one', 'Rotate…');
    expect(await rotateKey(page)).toMatch(/^lk_/);
    await storeKey(page);
    await create('1 active key').waitFor();
  });

  test('sees limits that were set while the form was open, and keeps what was typed', async () => {
    const owner = await ownerWith({});
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await fillCreate(page);
    await writing(page).check();
    await limit(stage, owner, LIMITS);
    await button(page, 'Create key').click();
    await page.getByText('This must be read-only: the limits of this account allow no more').waitFor();
    await page.getByText('Your organisation allows read-only keys.').waitFor();
    expect(await page.getByRole('radio', { name: 'Read-only' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: '30 days', checked: true }).waitFor();
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
  });

  test('reads the same in German', async () => {
    const owner = await ownerWith(LIMITS);
    const { page } = await stage.open({ owner, options: { locale: 'de-DE' } });
    await button(page, 'Ersten API-Schlüssel erstellen').click();
    await page.getByText('Ihre Organisation erlaubt nur Schlüssel zum Lesen.').waitFor();
    await page.getByText(/^Ihre Organisation erlaubt Schlüssel für höchstens 30 Tage\. /).waitFor();
  });
});

describe('a service with limits of its own', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start(await startService({ MAX_ACTIVE_KEYS: '12', MAX_KEY_DAYS: '60' }));
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('is named as the one who set them', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await page.getByText(/^This service allows keys of at most 60 days\. /).waitFor();
    expect(await writing(page).isDisabled()).toBe(false);
    for (let n = 0; n < 12; n += 1) await owner.person.newKey({ name: `Key ${n}` });
    await page.reload();
    await page.getByText('This service allows 12 active keys.').waitFor();
  });
});
