import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  button,
  createDialog,
  dialog,
  fillCreate,
  focusOn,
  hasFocus,
  heading,
  openCreate,
  shownKey,
  signIn,
} from './support/screen.js';
import { PASSWORD } from '../support/callers/owners.js';
import { countKeys, endSessions, putKeys } from './support/rows.js';
import { record } from './support/network.js';
import { Stage } from './support/stage.js';

/** From another tab of the browser: the list is read again. */
const COME_BACK = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";

const signInAgain = 'Sign in again';

describe('the session', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('empty fields are reported without a request, and a wrong password is removed and has the focus', async () => {
    const { page, owner } = await stage.open({ signedIn: false });
    const attempts = record(page, (request) => request.method() === 'POST');
    const email = page.getByLabel('Email');
    await focusOn(email);
    // HELP_URL is not set.
    expect(await page.getByRole('link').count()).toBe(0);
    await page.getByLabel('Password', { exact: true }).focus();
    await button(page, 'Sign in').click();
    await page.getByText('Enter your email').waitFor();
    await focusOn(email);
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    expect(attempts).toHaveLength(0);

    await signIn(page, owner.email, 'wrong');
    await page.getByRole('alert').getByText('Incorrect email or password').waitFor();
    const password = page.getByLabel('Password', { exact: true });
    await focusOn(password);
    expect(await password.inputValue()).toBe('');
    expect(await email.inputValue()).toBe(owner.email);
  });

  test('signing in shows the keys, also after a reload, and signing out ends the session in the service', async () => {
    const { page, owner } = await stage.open({ signedIn: false });
    await signIn(page, owner.email);
    await focusOn(heading(page));
    await page.getByText('Ada Lovelace').waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.reload();
    await page.getByText('No activity yet.').waitFor();
    expect(await hasFocus(heading(page))).toBe(false);
    const cookies = await page.context().cookies();
    await button(page, 'Sign out').click();
    await focusOn(page.getByLabel('Email'));
    expect(await heading(page).count()).toBe(0);
    await page.waitForURL(({ href }) => href === `${stage.service.url}/settings/api-keys`);
    await page.context().addCookies(cookies);
    await page.reload();
    await button(page, 'Sign in').waitFor();
  });

  describe('a session that ends while the screen is open', () => {
    test('shows the sign-in over the form, keeps what was typed, and creates the key after it', async () => {
      const { page, owner } = await stage.open();
      await openCreate(page);
      await fillCreate(page, { name: 'Backup script' });
      await endSessions(stage.service, owner);
      await button(page, 'Create key').click();
      const again = dialog(page, signInAgain);
      expect(await again.getByLabel('Email').inputValue()).toBe(owner.email);
      await focusOn(again.getByLabel('Password', { exact: true }));
      expect(await page.locator('input[name="name"]').inputValue()).toBe('Backup script');
      await again.getByLabel('Password', { exact: true }).fill('wrong');
      await button(again, 'Sign in').click();
      await again.getByText('Incorrect email or password').waitFor();
      expect(await page.locator('input[name="name"]').inputValue()).toBe('Backup script');
      await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      const { outcome } = await stage.service.clients.validate(await shownKey(page).innerText());
      expect(outcome).toBe('grant');
      expect(await createDialog(page).count()).toBe(0);
      expect(await countKeys(stage.service, owner)).toEqual({ all: 1, active: 1 });
    });

    test('shows the list after signing in again, and the sign-in page without keys after a refusal', async () => {
      const owner = await stage.newOwner();
      await putKeys(stage.service, owner, [
        { name: 'Old', revokedDaysAgo: 1 },
        { name: 'Older', expiresInDays: -1 },
      ]);
      const { page } = await stage.open({ owner });
      await page.getByText('No active keys.').waitFor();
      await endSessions(stage.service, owner);
      await page.evaluate(COME_BACK);
      const again = dialog(page, signInAgain);
      await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await button(again, 'Sign in').click();
      await again.waitFor({ state: 'detached' });
      await page.getByText('Ended (2)').waitFor();

      await endSessions(stage.service, owner);
      await page.getByRole('tab', { name: 'Activity' }).click();
      await button(again, 'Close').click();
      await page.getByRole('heading', { name: 'Sign in to Latchkey' }).waitFor();
      expect(await heading(page).count()).toBe(0);
    });
  });
});
