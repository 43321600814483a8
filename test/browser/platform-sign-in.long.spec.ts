import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { PlatformService } from '../support/platform/platform-service.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { ADMIN_PERMISSION, openDrawer } from './support/all-keys.js';
import { look } from './support/look.js';
import { intercept, isRotation } from './support/network.js';
import {
  anySignIn,
  createAndBeSentToConfirm,
  expectFilled,
  fill,
  HELP,
  open,
  openSignedIn,
  signInThere,
  startPlatform,
} from './support/platform-sign-in.js';
import { putKeys } from './support/rows.js';
import {
  button,
  chooseMore,
  createDialog,
  dialog,
  heading,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

describe('signing in at the platform', () => {
  let platform: PlatformService;
  let service: Service;
  /** A service where people sign in by their platform's token alone. */
  let elsewhere: Service;
  let stage: Stage;
  beforeAll(async () => {
    platform = await startPlatform();
    ({ service } = platform);
    elsewhere = await startService({
      SESSION_JWKS_URL: 'http://127.0.0.1:1/jwks.json',
      SESSION_JWT_ISSUER: 'https://login.example.com',
      SESSION_JWT_AUDIENCE: 'latchkey',
      DATABASE_URL: service.databaseUrl,
    });
    stage = await Stage.start(service, platform.provider.issuer, elsewhere.url);
  });
  afterEach(() => stage.clear());
  afterAll(async () => {
    await elsewhere?.stop();
    await stage?.stop();
    await platform?.provider.stop();
  });

  test('leads a manager back to the form for a service account, and refuses the service account itself', async () => {
    const id = await platform.newOwner();
    const bot = { id: `bot|${id}`, displayName: 'CI bot', permissions: ['systems:read', 'systems:write'] };
    await service.clients.putAccount({ ...bot, kind: 'ACCOUNT_KIND_SERVICE', managers: { ids: [id] } });
    const { page } = await openSignedIn(stage, id);
    await page.getByRole('combobox', { name: 'Keys of' }).selectOption({ label: 'CI bot' });
    await page.getByRole('heading', { name: 'API keys of CI bot' }).waitFor();
    await fill(page);
    await createAndBeSentToConfirm(page);
    await button(page, 'Sign in to confirm').click();
    await expectFilled(page);
    await page.getByText('This key belongs to CI bot.').waitFor();
    await button(page, 'Create key').click();
    const { grant } = await service.clients.validate((await shownKey(page).innerText()).trim());
    expect(grant?.ownerId).toBe(bot.id);
    await storeKey(page);

    const { page: other } = await open(stage);
    await anySignIn(other).click();
    await signInThere(other, bot.id);
    await other.getByRole('alert').getByText('This is a service account').waitFor();
  });

  test('creates the key that replaces a leaked one after a step-up, if an earlier answer was lost', async () => {
    const id = await platform.newOwner();
    await putKeys(service, { id }, [{ name: 'CI deploy' }]);
    const { page } = await openSignedIn(stage, id);
    await chooseMore(await showDetails(page, 'CI deploy'), 'It leaked…');
    const form = dialog(page, 'Replace leaked “CI deploy”');
    await button(form, 'Replace key now').click();
    await button(page, 'Sign in to confirm').click();
    await page.getByText('Confirmed. Press Replace key now.').waitFor();
    let lost = 0;
    await intercept(page, isRotation, async (route) => {
      if ((lost += 1) > 1) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await button(form, 'Replace key now').click();
    await page.getByText('The old key has ended. Revoke the new key and create another one').waitFor();
    await sql(service.databaseUrl, "UPDATE sessions SET authenticated_at = now() - interval '1 day'", []);
    await button(page, 'Revoke it and create another').click();
    await button(page, 'Sign in to confirm').click();
    await page.getByText('Confirmed. Press Replace key now.').waitFor();
    await button(form, 'Replace key now').click();
    await shownKey(page).waitFor();
    await storeKey(page);
  });

  test('keeps the form when a fresh sign-in is not enough, or when the session has ended', async () => {
    const id = await platform.newOwner();
    const { page } = await openSignedIn(stage, id);
    await fill(page);
    await createAndBeSentToConfirm(page);
    await button(page, 'Sign in to confirm').click();
    await expectFilled(page);
    await createDialog(page).getByText('Confirmed. Press Create key.').waitFor();
    await sql(service.databaseUrl, 'UPDATE sessions SET authenticated_at = NULL WHERE account_id = $1', [id]);
    await createAndBeSentToConfirm(page);
    await page.getByText('Your sign-in was not enough').waitFor();
    await expectFilled(page);
    await sql(service.databaseUrl, 'DELETE FROM sessions WHERE account_id = $1', [id]);
    await button(page, 'Create key').click();
    await dialog(page, 'Sign in again').waitFor();
    await dialog(page, 'Sign in again').getByRole('button', { name: 'Sign in with your account' }).click();
    await expectFilled(page);
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
  });

  test('leads an administrator who had to confirm the end of a key back to the key and to the note', async () => {
    const [id, ada] = [await platform.newOwner(), await platform.newOwner()];
    await service.clients.putAccount({ id, email: `${randomUUID()}@example.com`, permissions: [ADMIN_PERMISSION] });
    await putKeys(service, { id: ada }, [{ name: 'CI deploy of Ada' }]);
    const { page } = await openSignedIn(stage, id);
    await page.getByRole('tab', { name: 'All keys' }).click();
    const drawer = await openDrawer(page, 'CI deploy of Ada');
    await button(drawer, 'Revoke key…').click();
    const form = dialog(page, 'Revoke “CI deploy of Ada”?');
    expect(await form.getByLabel(/password/i).count()).toBe(0);
    await form.getByLabel('Note (optional)').fill('Found in a public log');
    await button(form, 'Revoke key').click();
    await button(form, 'Sign in to confirm').click();
    await form.getByText('Confirmed. Press Revoke key.').waitFor();
    expect(await form.getByLabel('Note (optional)').inputValue()).toBe('Found in a public log');
    await button(form, 'Revoke key').click();
    await drawer.getByRole('note').getByText('An administrator revoked this key').waitFor();
    await form.waitFor({ state: 'detached' });
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('public log');
  });

  test('leads an administrator who had to confirm the end of several keys back to them and to the note', async () => {
    const [id, ada] = [await platform.newOwner(), await platform.newOwner()];
    await service.clients.putAccount({ id, email: `${randomUUID()}@example.com`, permissions: [ADMIN_PERMISSION] });
    await putKeys(service, { id: ada }, [{ name: 'First of Ada' }, { name: 'Second of Ada' }]);
    const { page } = await openSignedIn(stage, id);
    await page.getByRole('tab', { name: 'All keys' }).click();
    for (const name of ['First of Ada', 'Second of Ada']) await page.getByLabel(`Select “${name}”`).check();
    await button(page, 'Revoke 2 keys…').click();
    const form = dialog(page, 'Revoke 2 keys?');
    await form.getByLabel('Note (optional)').fill('Laptop stolen');
    await button(form, 'Revoke 2 keys').click();
    await button(form, 'Sign in to confirm').click();
    await form.getByText('Confirmed. Press Revoke 2 keys.').waitFor();
    expect(await form.getByLabel('Note (optional)').inputValue()).toBe('Laptop stolen');
    await page.keyboard.press('Escape');
    // Neither is the selection lost.
    await button(page, 'Revoke 2 keys…').click();
    await form.getByLabel('Note (optional)').waitFor();
    await form.getByText('First of Ada').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('stolen');
  });

  test('says at once that a sign-in was not strong enough, in the form that the person left', async () => {
    const { page } = await openSignedIn(stage, await platform.newOwner());
    await fill(page);
    await createAndBeSentToConfirm(page);
    const headers = { location: '/settings/api-keys#signed-in=too_weak' };
    await page.route('**/v1/session/oidc?*', (route) => route.fulfill({ status: 302, headers }));
    await button(page, 'Sign in to confirm').click();
    await expectFilled(page);
    await createDialog(page).getByText('That sign-in was not strong enough').waitFor();
    await button(createDialog(page), 'Sign in to confirm').waitFor();
  });

  test('asks which account to use after a sign-out, and signs out at the platform where the service says so', async () => {
    const { page } = await openSignedIn(stage, await platform.newOwner());
    await button(page, 'Sign out').click();
    await anySignIn(page).waitFor();
    expect(await anySignIn(page).getAttribute('href')).toMatch(/\?prompt=select_account$/);
    await page.reload();
    await anySignIn(page).waitFor();
    expect(await anySignIn(page).getAttribute('href')).toMatch(/\?prompt=select_account$/);
    // The person is still signed in there.
    await anySignIn(page).click();
    await signInThere(page, await platform.newOwner());
    await heading(page).waitFor();
    const signOutUrl = `${service.url}/settings/api-keys?from=platform`;
    await page.route('**/v1/session', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ json: { signOutUrl } }) : route.fallback(),
    );
    await button(page, 'Sign out').click();
    await page.waitForURL(signOutUrl);
  });

  test('explains a missing, suspended or deleted account, and offers to sign in as somebody else', async () => {
    const stranger = `auth0|${randomUUID()}`;
    const [suspended, deleted] = [await platform.newOwner(), await platform.newOwner()];
    await service.clients.account('SuspendAccount', suspended);
    await service.clients.account('DeleteAccount', deleted);
    const { page } = await open(stage);
    for (const [id, title] of [
      [stranger, 'You don’t have an account here'],
      [suspended, 'Your account is suspended'],
      [deleted, 'Your account was deleted'],
    ] as const) {
      await anySignIn(page).click();
      await signInThere(page, id);
      await page.getByRole('alert').getByText(title).waitFor();
      await anySignIn(page).waitFor();
      const help = page.getByRole('alert').getByRole('link', { name: 'Get help (opens in a new tab)' });
      expect(await help.getAttribute('href')).toBe(HELP);
      const other = page.getByRole('link', { name: 'Use another account' });
      expect(await other.getAttribute('href')).toMatch(/\/v1\/session\/oidc\?prompt=select_account$/);
      // The others look the same, with other words.
      if (id === stranger) await look('sign-in-no_account', page);
      await page.reload();
      await anySignIn(page).waitFor();
      expect(await page.getByText(title).count()).toBe(0);
      // The provider knows them no longer.
      await page.context().clearCookies({ domain: 'localhost' });
    }
  });

  test('explains a sign-in that has expired or whose platform is unavailable, and offers another try', async () => {
    const { page } = await open(stage);
    await anySignIn(page).waitFor();
    await look('sign-in-platform', page);
    await page.goto(`${service.url}/v1/session/oidc/callback?code=x&state=y`);
    await page.getByText('This sign-in has expired').waitFor();
    await page.goto(`${service.url}/settings/api-keys#refused=unavailable`);
    await page.reload();
    await page.getByText('Your platform’s sign-in can’t be reached').waitFor();
    for (const [reason, title] of [
      ['cancelled', 'You cancelled the sign-in'],
      ['misconfigured', 'Sign-in is misconfigured'],
    ]) {
      await page.goto(`${service.url}/settings/api-keys#refused=${reason}`);
      await page.reload();
      await page.getByRole('alert').getByText(title!).waitFor();
    }
    await anySignIn(page).click();
    await signInThere(page, await platform.newOwner());
    await heading(page).waitFor();
  });

  test('names the platform’s settings as the place where keys are managed, if they are', async () => {
    const page = await stage.visit(`${elsewhere.url}/settings/api-keys`);
    await page.getByRole('heading', { name: 'Your API keys are in your platform’s settings' }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
  });
});
