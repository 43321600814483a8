import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { countKeys, putKeys } from './support/rows.js';
import { button, chooseAction, dialog, focusOn, row, showEnded } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('revoking a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('names the key and the consequence, and needs the box to be ticked', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy', shown: '7c1f4e0a9b2d', usedMinutesAgo: 90 }]);
    const { page } = await stage.open({ owner });
    await chooseAction(page, 'CI deploy', 'Revoke…');
    const question = dialog(page, 'Revoke “CI deploy”?');
    await question.getByText(/Everything that uses this key stops working at once/).waitFor();
    await question.getByText('lk_7c1f4e0a9b2d…').waitFor();
    await question.getByText('It was used within the last day, so something probably still needs it.').waitFor();
    await button(question, 'Revoke key').click();
    await question.getByText('Tick the box to confirm').waitFor();
    await focusOn(question.getByLabel('Yes, revoke it permanently'));
    await page.keyboard.press('Space');
    expect(await countKeys(stage.service, owner)).toEqual({ all: 1, active: 1 });
    await button(question, 'Cancel').click();
    await question.waitFor({ state: 'detached' });
    await focusOn(button(page, 'Actions for CI deploy'));

    await chooseAction(page, 'CI deploy', 'Revoke…');
    await page.getByLabel('Yes, revoke it permanently').check();
    await button(page, 'Revoke key').click();
    // The revoked key is below, among the ended ones.
    await page.getByText(/^No active keys\./).waitFor();
    await showEnded(page);
    await row(page, 'CI deploy').getByText('Revoked by you').waitFor();
  });
});
