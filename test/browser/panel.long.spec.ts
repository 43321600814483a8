import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectFilled, fillIn, newId, PanelStage, signInWindow } from './support/panel-stage.js';
import { LONG_AGO_SECONDS } from './support/platform.js';
import { countKeys, putKeys } from './support/rows.js';
import { button, createDialog, openCreate, row, shownKey } from './support/screen.js';

const NOT_SIGNED_IN = 'You didn’t sign in again, so nothing was changed.';

describe("the panel in a platform's page of another origin", () => {
  let panel: PanelStage;
  beforeAll(async () => void (panel = await PanelStage.start()));
  afterEach(() => panel.clear());
  afterAll(() => panel?.stop());

  test('keeps the form when the sign-in is closed or too old, and makes no key', async () => {
    const owner = await panel.openAccount();
    const page = await panel.visit(owner.id);
    await fillIn(page);
    await (await signInWindow(page)).close();
    await page.getByText(NOT_SIGNED_IN).waitFor();
    await expectFilled(page);
    panel.platform.ageSeconds.again = LONG_AGO_SECONDS;
    await button(await signInWindow(page), 'Sign in').click();
    await page.getByText('Your sign-in is not recent or strong enough').waitFor();
    expect(panel.creations).toHaveLength(3);
    expect(await countKeys(panel.service, owner)).toEqual({ all: 0, active: 0 });
    panel.platform.reset();
    await button(await signInWindow(page), 'Sign in').click();
    await shownKey(page).waitFor();
    expect(await countKeys(panel.service, owner)).toEqual({ all: 1, active: 1 });
  });

  test('makes no key after the person cancelled the wait for the sign-in', async () => {
    const owner = await panel.openAccount();
    const page = await panel.visit(owner.id);
    await fillIn(page);
    const signIn = await signInWindow(page);
    await button(page, 'Cancel').click();
    await page.getByText(NOT_SIGNED_IN).waitFor();
    const closed = signIn.waitForEvent('close');
    await button(signIn, 'Sign in').click();
    await closed;
    await button(page, 'Cancel').click();
    await createDialog(page).waitFor({ state: 'detached' });
    expect(panel.creations).toHaveLength(1);
    expect(await countKeys(panel.service, owner)).toEqual({ all: 0, active: 0 });
  });

  test('drops the form and shows the keys of the new person when somebody else signs in', async () => {
    const [owner, other] = [await panel.openAccount(), await panel.openAccount()];
    await putKeys(panel.service, other, [{ name: 'Key of the other' }]);
    const page = await panel.visit(owner.id);
    await fillIn(page);
    panel.platform.nextPerson = other.id;
    await button(await signInWindow(page), 'Sign in').click();
    await page.getByText('Somebody else signed in, so nothing was changed.').waitFor();
    await row(page, 'Key of the other').waitFor();
    expect([await countKeys(panel.service, owner), await countKeys(panel.service, other)]).toMatchObject([
      { all: 0 },
      { all: 1 },
    ]);
    await openCreate(page);
    expect(await page.locator('input[name="name"]').inputValue()).toBe('');
  });

  test('says to a person without an account that there is none, instead of that the session has ended', async () => {
    const id = newId();
    const page = await panel.visit(id);
    await page.getByText('You don’t have an account here yet', { exact: true }).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    expect(await page.getByRole('tab').count()).toBe(0);
    await panel.openAccount(id);
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  });
});
