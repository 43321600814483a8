import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { putKeys } from './support/rows.js';
import { button, dialog, fillCreate, openCreate, row, showDetails } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('a page of one person, while another signs in in another window', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const opened = async () => {
    const [ada, grace] = [await stage.newOwner(), await stage.newOwner()];
    await putKeys(stage.service, ada, [{ name: 'Key of Ada' }]);
    await putKeys(stage.service, grace, [{ name: 'Key of Grace' }]);
    const { page } = await stage.open({ owner: ada });
    await row(page, 'Key of Ada').waitFor();
    const signInAsGrace = () => page.context().addCookies([stage.cookieOf(grace)]);
    const keysOf = async (owner: typeof ada) =>
      (await owner.person.list()).items.map(({ name, status }) => [name, status]);
    const expectNothingDone = async () => {
      await page.getByText('You’re signed in with another account now').waitFor();
      await row(page, 'Key of Grace').waitFor();
      expect(await row(page, 'Key of Ada').count()).toBe(0);
      expect(await keysOf(ada)).toEqual([['Key of Ada', 'active']]);
      expect(await keysOf(grace)).toEqual([['Key of Grace', 'active']]);
    };
    return { page, signInAsGrace, expectNothingDone };
  };

  test('revokes nothing, and shows who is signed in', async () => {
    const { page, signInAsGrace, expectNothingDone } = await opened();
    await button(await showDetails(page, 'Key of Ada'), 'Revoke…').click();
    const form = dialog(page, 'Revoke “Key of Ada”?');
    await form.getByRole('checkbox').check();
    await signInAsGrace();
    await button(form, 'Revoke key').click();
    await expectNothingDone();
  });

  test('creates nothing, and drops what was typed', async () => {
    const { page, signInAsGrace, expectNothingDone } = await opened();
    await openCreate(page);
    await fillCreate(page, { name: 'For Ada' });
    await signInAsGrace();
    await button(page, 'Create key').click();
    await expectNothingDone();
    await openCreate(page);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  });
});
