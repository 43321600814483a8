import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { look } from './support/look.js';
import { expectFilled, fillIn, PanelStage, signInWindow } from './support/panel-stage.js';
import { countKeys } from './support/rows.js';
import { button, chooseAction, row, showDetails, shownKey, storeKey } from './support/screen.js';

describe("the panel in a platform's page of another origin", () => {
  let panel: PanelStage;
  beforeAll(async () => void (panel = await PanelStage.start()));
  afterEach(() => panel.clear());
  afterAll(() => panel?.stop());

  test('makes a key after the person has signed in again, and keeps what was typed', async () => {
    const owner = await panel.openAccount();
    const page = await panel.visit(owner.id);
    const address = page.url();
    await fillIn(page);
    expect(await page.locator('input[type="password"]').count()).toBe(0);
    await look('panel-create', page);
    const signIn = await signInWindow(page);
    expect(Object.fromEntries(new URL(signIn.url()).searchParams)).toMatchObject({
      max_age: '86400',
      acr_values: 'urn:example:gold phr',
    });
    await page.getByText('Waiting for you to sign in again').waitFor();
    await expectFilled(page);
    await button(signIn, 'Sign in').click();
    const { grant } = await panel.service.clients.validate((await shownKey(page).innerText()).trim());
    expect(grant?.ownerId).toBe(owner.id);
    expect(await countKeys(panel.service, owner)).toEqual({ all: 1, active: 1 });
    expect(panel.creations.map((request) => request.headers()['idempotency-key'])).toEqual([
      expect.any(String),
      panel.creations[0]!.headers()['idempotency-key'],
    ]);
    await storeKey(page);
    await row(page, 'Nightly report').waitFor();

    // The sign-in is still fresh.
    await chooseAction(page, 'Nightly report', 'Rotate…');
    await button(page, 'Rotate key').click();
    await shownKey(page).waitFor();
    expect([panel.creations.length, panel.rotations.length]).toEqual([2, 1]);
    await storeKey(page);
    await chooseAction(page, 'Nightly report', 'End the old key now…');
    await page.getByLabel('Yes, end the old key permanently').check();
    await button(page, 'End old key').click();
    await page.getByText('The old “Nightly report” ended. The new one keeps working.').waitFor();

    await showDetails(page, 'Nightly report');
    await page.getByText('View all activity').click();
    await page.getByText('Key Nightly report was created').waitFor();
    // The address and the history belong to the host.
    expect([page.url(), await page.evaluate('history.state')]).toEqual([address, null]);
  });
});
