import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/callers/owners.js';
import { passTime } from './support/network.js';
import { countKeys, putKeys } from './support/rows.js';
import { button, chooseAction, dialog, focusOn, heading, row, shownKey } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('rotating a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('a twin with the same settings is created, seen working, and the old key revoked: at no time does neither work', async () => {
    const owner = await stage.newOwner();
    const old = await owner.person.newKey({ name: 'CI deploy', access: 'read-and-write', expiresInDays: 30 });
    const validate = async (key: string) => (await stage.service.clients.validate(key)).outcome;
    const { page } = await stage.open({ owner, prepare: (page) => page.clock.install() });
    await chooseAction(page, 'CI deploy', 'Rotate…');
    const guide = dialog(page, 'Rotate “CI deploy”');
    await guide.getByText('Step 1 of 3: Create a twin').waitFor();
    expect(await guide.getByLabel('Name', { exact: true }).inputValue()).toBe('CI deploy');
    expect(await guide.getByRole('radio', { name: 'Read and write' }).isChecked()).toBe(true);
    expect(await guide.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    await guide.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const twin = (await shownKey(page).innerText()).trim();
    await guide.getByLabel('I have stored it').check();
    await button(guide, 'Next').click();

    await guide.getByText('Step 2 of 3: Switch over').waitFor();
    await guide.getByText('Waiting for the first request with the new key…').waitFor();
    expect(await page.content()).not.toContain(twin.slice(-64));
    expect(await validate(old.fullKey)).toBe('grant');
    expect(await validate(twin)).toBe('grant');
    await passTime(page, guide.getByText('The new key works: a request with it has arrived.'));
    await button(guide, 'Continue to revoke the old key').click();

    await guide.getByText('Step 3 of 3: Revoke the old key').waitFor();
    await button(guide, 'Revoke the old key').click();
    await page.getByRole('status').getByText('“CI deploy” was rotated: the old key is revoked').waitFor();
    expect(await validate(old.fullKey)).toBe('denial');
    expect(await validate(twin)).toBe('grant');
    expect(await countKeys(stage.service, owner)).toEqual({ all: 2, active: 1 });
    await focusOn(heading(page));
  });

  test('it can be finished later: both keys stay, and the old one is revoked from the list', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    const { page } = await stage.open({ owner });
    await chooseAction(page, 'CI deploy', 'Rotate…');
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Create key').click();
    await page.getByLabel('I have stored it').check();
    await button(page, 'Next').click();
    await button(page, 'Continue without waiting').click();
    await page.getByText('The new key has not been used yet.').waitFor();
    await button(page, 'Back').click();
    await button(page, 'Finish later').click();
    await row(page, 'CI deploy').nth(1).waitFor();
    expect(await countKeys(stage.service, owner)).toEqual({ all: 2, active: 2 });
  });
});
