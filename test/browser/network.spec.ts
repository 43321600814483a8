import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { PASSWORD } from '../support/callers/owners.js';
import { countKeys, putKeys } from './support/rows.js';
import { holdBack, intercept, isCreation, isListing, isRotation, passTime, record } from './support/network.js';
import {
  button,
  chooseAction,
  createDialog,
  fillCreate,
  focusOn,
  openCreate,
  row,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

describe('the screen on a slow or failing network', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('retries after a lost answer under the same Idempotency-Key, and replaces the key whose secret was lost', async () => {
    const { page, owner } = await stage.open();
    const requests = record(page, isCreation);
    await loseFirst(page, isCreation);
    await openCreate(page);
    await fillCreate(page, { name: 'CI deploy' });
    await page.getByRole('radio', { name: '7 days' }).check();
    await button(page, 'Create key').click();
    await page.getByRole('alert').getByText('The key was created, but we couldn’t show it to you').waitFor();
    await page.getByText(/The answer with “CI deploy” was lost on the way/).waitFor();
    const keys = await Promise.all(requests.map((request) => request.headerValue('idempotency-key')));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[\w-]{32,}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(await countKeys(stage.service, owner)).toEqual({ all: 1, active: 1 });

    await focusOn(button(page, 'Revoke it and create it again'));
    await page.keyboard.press('Enter');
    const { outcome } = await stage.service.clients.validate((await shownKey(page).innerText()).trim());
    expect(outcome).toBe('grant');
    expect(await requests[2]?.headerValue('idempotency-key')).not.toBe(keys[0]);
    expect(await countKeys(stage.service, owner)).toEqual({ all: 2, active: 1 });
    const [created] = (await owner.person.list('?status=active')).items;
    expect(Date.parse(created!.expiresAt) - Date.parse(created!.createdAt)).toBe(7 * 86_400_000);

    // The same with a rotation. The old key keeps working.
    await storeKey(page);
    await loseFirst(page, isRotation);
    await chooseAction(page, 'CI deploy', 'Rotate…');
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Rotate key').click();
    await page.getByRole('alert').getByText('The new key was created, but we couldn’t show it to you').waitFor();
    expect(await countKeys(stage.service, owner)).toEqual({ all: 3, active: 2 });
    await button(page, 'Revoke it and rotate again').click();
    const { grant } = await stage.service.clients.validate((await shownKey(page).innerText()).trim());
    const { items } = await owner.person.list('?status=active');
    expect(items).toMatchObject([{ id: grant?.keyId, replaces: created!.id }, { id: created!.id }]);
  });

  test('shows that a slow list is loading, then its rows', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    let release = () => {};
    const { page } = await stage.open({
      owner,
      prepare: async (page) => ({ release } = await holdBack(page, isListing)),
    });
    await page.getByRole('status').getByText('Loading…').waitFor({ state: 'attached' });
    expect(await page.getByRole('table').count()).toBe(0);
    release();
    await row(page, 'CI deploy').waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
  });

  test('does not open the form before the list of keys is loaded', async () => {
    let release = () => {};
    const { page } = await stage.open({ prepare: async (page) => ({ release } = await holdBack(page, isListing)) });
    const create = button(page, 'Create API key');
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await create.click({ force: true });
    release();
    await button(page, 'Create your first API key').waitFor();
    expect(await createDialog(page).count()).toBe(0);
    await button(page, 'Create your first API key').click();
    await createDialog(page).waitFor();
  });

  test('sends a creation once, and keeps the form open until it is answered', async () => {
    const { page, owner } = await stage.open();
    const { release, held } = await holdBack(page, isCreation);
    await openCreate(page);
    await fillCreate(page);
    await page.keyboard.press('Enter');
    await page.locator('form[aria-busy="true"]').waitFor();
    await page.getByLabel('Your password', { exact: true }).press('Enter');
    await button(page, 'Create key').click({ force: true });
    await page.keyboard.press('Escape');
    expect(await button(page, 'Cancel').isDisabled()).toBe(true);
    expect(await createDialog(page).isVisible()).toBe(true);
    release();
    await shownKey(page).waitFor();
    expect(held()).toBe(1);
    expect(await countKeys(stage.service, owner)).toEqual({ all: 1, active: 1 });
  });

  test('reports that a list could not be loaded, and loads it on a retry', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    let repair = () => Promise.resolve();
    const { page } = await stage.open({
      owner,
      prepare: async (page) => {
        await page.clock.install();
        repair = await intercept(page, isListing, (route) => route.abort());
      },
    });
    const alert = page.getByRole('alert');
    await passTime(page, alert.getByText('Your keys could not be loaded'));
    await alert.getByText('The service can’t be reached. Try again in a moment.').waitFor();
    await repair();
    await button(page, 'Try again').click();
    await row(page, 'CI deploy').waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('retries a creation that never arrives, then keeps what was typed, and the button that creates a key tries again', async () => {
    const { page, owner } = await stage.open({ prepare: (page) => page.clock.install() });
    const requests = record(page, isCreation);
    const repair = await intercept(page, isCreation, (route) => route.abort());
    await openCreate(page);
    await fillCreate(page, { name: 'Backup script' });
    await button(page, 'Create key').click();
    await page.getByText('Still trying. You won’t get a duplicate.').waitFor();
    await passTime(page, page.getByText(/Nothing you typed is lost\. Try again: you won’t get a duplicate\./));
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Backup script');
    expect(await button(page, 'Try again').count()).toBe(0);
    await repair();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    const keys = await Promise.all(requests.map((request) => request.headerValue('idempotency-key')));
    expect(keys.length).toBeGreaterThan(2);
    expect(new Set(keys).size).toBe(1);
    expect(await countKeys(stage.service, owner)).toEqual({ all: 1, active: 1 });
  });
});

/** Drops the service's answer to the first such request. */
async function loseFirst(page: Page, matches: (request: Request) => boolean): Promise<void> {
  let lost = 0;
  await intercept(page, matches, async (route) => {
    if (lost > 0) return route.fallback();
    lost += 1;
    const answer = await route.fetch();
    expect(answer.status()).toBe(201);
    return route.abort();
  });
}
