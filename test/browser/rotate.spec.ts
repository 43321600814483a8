import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { holdBack, isListing, passTime } from './support/network.js';
import { putKeys } from './support/rows.js';
import { actionsOf, button, chooseAction, dialog, focusOn, rotateKey, row, storeKey } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('rotating a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const validate = async (key: string) => (await stage.service.clients.validate(key)).outcome;

  test('works with five keys, shows both keys as a pair with the end of the old one, and can end the old one early', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'A' }, { name: 'B' }, { name: 'C' }, { name: 'D' }]);
    const old = await owner.person.newKey({ name: 'CI deploy', access: 'read-and-write', expiresInDays: 30 });
    const { page } = await stage.open({ owner, prepare: (page) => page.clock.install() });
    await chooseAction(page, 'CI deploy', 'Rotate…');
    const form = dialog(page, 'Rotate “CI deploy”');
    await focusOn(form.getByRole('radio', { name: 'After a day' }));
    expect(await form.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    await form
      .getByText(
        /^The old key keeps working for a day after the first use of the new one\. It expires on .* at the latest/,
      )
      .waitFor();
    const fullKey = await rotateKey(page);
    await page.getByText('Put it in place of the old key.').waitFor();
    await storeKey(page);

    const pair = row(page, 'CI deploy');
    await pair.getByText('Waiting for the first use of the new key').waitFor();
    await pair.getByText(`the old key ${old.apiKey.prefix} keeps working until 1 day after that`).waitFor();
    expect(await pair.count()).toBe(1);
    await page.getByText('5 active keys, the limit', { exact: true }).waitFor();
    expect(await actionsOf(pair, 'CI deploy')).toEqual([
      'Details',
      'Details of the old key',
      'Edit name and note',
      'Undo rotation…',
      'End the old key now…',
    ]);
    await page.keyboard.press('Escape');

    expect([await validate(old.fullKey), await validate(fullKey)]).toEqual(['grant', 'grant']);
    await passTime(page, pair.getByText('New key in use'));
    await pair.getByText(`the old key ${old.apiKey.prefix} ends in 1 day`).waitFor();
    await passTime(page, pair.getByText('with the new key'));
    await chooseAction(page, 'CI deploy', 'End the old key now…');
    const question = dialog(page, 'End the old “CI deploy” now?');
    const { items } = await owner.person.list();
    await question.getByText(`The new key (${items[0]!.prefix}) stays.`).waitFor();
    await question.getByLabel('Yes, end the old key permanently').check();
    const { release } = await holdBack(page, isListing);
    await button(question, 'End old key').click();
    await page.getByRole('status').getByText('The old “CI deploy” ended. The new one keeps working.').waitFor();
    expect([await validate(old.fullKey), await validate(fullKey)]).toEqual(['denial', 'grant']);
    await pair.getByText('New key in use').waitFor({ state: 'detached' });
    // The two keys count as one, also before the list is read again.
    await page.getByText('5 active keys, the limit', { exact: true }).waitFor();
    release();

    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await events.nth(5).waitFor();
    expect((await events.allInnerTexts()).map((text) => text.split('\n').find((line) => line !== 'Today'))).toEqual([
      'CI deploy rejected: revoked',
      'Key CI deploy was revoked',
      'Key CI deploy was used for the first time',
      'Key CI deploy was created',
      'Rotation of key CI deploy was started',
      'Key CI deploy was created',
    ]);
  });
});
