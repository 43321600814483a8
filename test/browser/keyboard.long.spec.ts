import { afterAll, afterEach, beforeAll, describe, test } from '@jest/globals';
import { PASSWORD } from '../support/callers/owners.js';
import { arrowTo, press, tabTo } from './support/keyboard.js';
import { putKeys } from './support/rows.js';
import { button, createDialog, dialog, focusOn, keyLink, row } from './support/screen.js';
import { Stage } from './support/stage.js';

/** As most people have it: the focus moves while dialogs come and go. */
const MOVING = { reducedMotion: 'no-preference' } as const;

describe('the screen without a mouse', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('keeps the focus within an open dialog, returns it to the opener, unfolds the ended keys, and switches tabs by arrow keys', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }, { name: 'Former', revokedDaysAgo: 1 }]);
    const { page } = await stage.open({ owner, options: MOVING });
    const create = button(page, 'Create API key');
    await press(page, create);
    await focusOn(page.getByLabel('Name', { exact: true }));
    await page.keyboard.press('Shift+Tab');
    await focusOn(button(createDialog(page), 'Close'));
    await page.keyboard.press('Shift+Tab');
    await focusOn(button(page, 'Create key'));
    await page.keyboard.press('Tab');
    await focusOn(button(createDialog(page), 'Close'));
    await page.keyboard.press('Escape');
    await createDialog(page).waitFor({ state: 'detached' });
    await focusOn(create);

    await page.keyboard.press('Enter');
    await focusOn(page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('Second');
    await tabTo(page, page.getByLabel('Your password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await press(page, button(page, 'Copy key'));
    await press(page, button(page, 'Done'));
    await focusOn(keyLink(page, 'Second'));

    const menu = button(page, 'Actions for CI deploy');
    await press(page, menu);
    await focusOn(page.getByRole('menuitem', { name: 'Details' }));
    await page.keyboard.press('Escape');
    await focusOn(menu);
    for (const [action, title] of [
      ['Rotate…', 'Rotate “CI deploy”'],
      ['Revoke…', 'Revoke “CI deploy”?'],
    ] as const) {
      await page.keyboard.press('Enter');
      await focusOn(page.getByRole('menuitem', { name: 'Details' }));
      await arrowTo(page, page.getByRole('menuitem', { name: action }));
      await page.keyboard.press('Enter');
      await focusOn(dialog(page, title).locator(':focus'));
      await page.keyboard.press('Escape');
      await dialog(page, title).waitFor({ state: 'detached' });
      await focusOn(menu);
    }

    await press(page, button(page, 'Ended (1)'));
    await row(page, 'Former').waitFor();
    await press(page, keyLink(page, 'Former'));
    await focusOn(dialog(page, 'Former').locator(':focus'));
    await page.keyboard.press('Escape');
    await focusOn(keyLink(page, 'Former'));
    await page.getByRole('tab', { name: 'Keys' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Activity' }).waitFor();
  });
});
