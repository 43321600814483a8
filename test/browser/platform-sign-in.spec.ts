import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import type { PlatformService } from '../support/platform/platform-service.js';
import type { Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { look } from './support/look.js';
import {
  createAndBeSentToConfirm,
  expectFilled,
  fill,
  HELP,
  nameField,
  openSignedIn,
  signInThere,
  startPlatform,
} from './support/platform-sign-in.js';
import { button, chooseAction, dialog, openCreate, row, shownKey, storeKey } from './support/screen.js';
import { Stage } from './support/stage.js';

const carriesPassword = (request: Request) =>
  /password/i.test(`${request.url().replace(/\/assets\/.*/, '')} ${request.postData() ?? ''}`);

describe('signing in at the platform', () => {
  let platform: PlatformService;
  let service: Service;
  let stage: Stage;
  beforeAll(async () => {
    platform = await startPlatform();
    ({ service } = platform);
    stage = await Stage.start(service, platform.provider.issuer);
  });
  afterEach(() => stage.clear());
  afterAll(async () => {
    await stage?.stop();
    await platform?.provider.stop();
  });

  test('lets a person create keys after one step-up, and no request carries a password', async () => {
    const { page, requests } = await openSignedIn(stage, await platform.newOwner());
    await page.getByText('Ada Lovelace').waitFor();
    expect(await page.getByRole('link', { name: 'Get help (opens in a new tab)' }).getAttribute('href')).toBe(HELP);
    await page.waitForURL(({ href }) => href === `${service.url}/settings/api-keys`);
    await fill(page);
    expect(await page.getByLabel(/password/i).count()).toBe(0);
    await createAndBeSentToConfirm(page);
    await look('create-step-up', page);
    const hint = page.getByText('You may have to sign in again');
    expect(await hint.count()).toBe(0);
    await button(page, 'Sign in to confirm').click();
    await expectFilled(page);
    expect(await hint.count()).toBe(0);
    await button(page, 'Create key').click();
    expect(await shownKey(page).innerText()).toMatch(/^lk_/);
    await storeKey(page);
    await row(page, 'Nightly report').waitFor();

    await openCreate(page);
    expect(await nameField(page).inputValue()).toBe('');
    await nameField(page).fill('Another');
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    await storeKey(page);
    await row(page, 'Another').waitFor();

    // The form of a rotation survives a step-up, too.
    await sql(service.databaseUrl, "UPDATE sessions SET authenticated_at = now() - interval '1 day'", []);
    await chooseAction(page, 'Another', 'Rotate…');
    await page.getByRole('radio', { name: 'After a week' }).check();
    await page.getByRole('radio', { name: '60 days' }).check();
    await button(page, 'Rotate key').click();
    await page.getByRole('alert').getByText('Sign in again to confirm that it’s you').waitFor();
    await button(page, 'Sign in to confirm').click();
    await dialog(page, 'Rotate “Another”').waitFor();
    const chosen = ['After a week', '60 days'].map((name) => page.getByRole('radio', { name }).isChecked());
    expect(await Promise.all(chosen)).toEqual([true, true]);
    await button(page, 'Rotate key').click();
    await shownKey(page).waitFor();
    await storeKey(page);
    await row(page, 'Another').getByText('keeps working until 7 days after that').waitFor();

    expect(requests.length).toBeGreaterThan(10);
    expect(requests.filter(carriesPassword).map((request) => request.url())).toEqual([]);
  });

  test('drops the form and says so when somebody else comes back', async () => {
    const [ada, eve] = [await platform.newOwner(), await platform.newOwner('Eve Adams')];
    const { page } = await openSignedIn(stage, ada);
    await fill(page);
    await createAndBeSentToConfirm(page);
    await page.context().clearCookies({ domain: 'localhost' });
    await button(page, 'Sign in to confirm').click();
    await signInThere(page, eve);
    await page.getByText('Eve Adams').waitFor();
    await page.getByText('You’re signed in with another account now').waitFor();
    await openCreate(page);
    expect(await nameField(page).inputValue()).toBe('');
  });
});
