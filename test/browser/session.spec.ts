import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { button, focusOn, hasFocus, heading, signIn } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('the session', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

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
});
