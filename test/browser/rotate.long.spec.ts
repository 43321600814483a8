import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { holdBack, isListing, isReadingOne, passTime, record } from './support/network.js';
import { countKeys } from './support/rows.js';
import { button, chooseAction, dialog, focusOn, row } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('rotating a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const validate = async (key: string) => (await stage.service.clients.validate(key)).outcome;

  test('reads every few seconds only the new key, and nothing any more once that is in use', async () => {
    const owner = await stage.newOwner();
    const old = await owner.person.newKey({ name: 'CI deploy' });
    const next = (await owner.person.rotate(old.apiKey.id)).body;
    const { page } = await stage.open({ owner, prepare: (page) => page.clock.install() });
    const pair = row(page, 'CI deploy');
    await pair.getByText('Waiting for the first use of the new key').waitFor();
    const reads = record(page, (request) => isListing(request) || isReadingOne(request));
    const read = () => reads.map((request) => new URL(request.url()).pathname.split('/').at(-1));
    await eventually(async () => {
      await page.clock.fastForward(5000);
      return reads.length >= 2;
    });
    expect(new Set(read())).toEqual(new Set([next.apiKey.id]));
    await validate(next.fullKey);
    await passTime(page, pair.getByText('New key in use'));
    expect(read().slice(-2)).toEqual([next.apiKey.id, old.apiKey.id]);
    const before = reads.length;
    await page.clock.runFor(60_000);
    // On a busy machine more of the page's time has passed until here.
    await pair.getByText(/\d minutes? ago/).waitFor();
    expect(reads.length).toBe(before);
  });

  test('can be cancelled from the details of a key, and reports what another page did in the meantime', async () => {
    const owner = await stage.newOwner();
    const old = await owner.person.newKey({ name: 'CI deploy' });
    const { fullKey } = (await owner.person.rotate(old.apiKey.id)).body;
    const other = await owner.person.newKey({ name: 'Backup' });
    await validate(fullKey);
    const { page } = await stage.open({ owner });
    await chooseAction(page, 'CI deploy', 'Details of the old key');
    const details = dialog(page, 'CI deploy');
    await details.getByText('in 1 day').first().waitFor();
    expect(await button(details, 'Rotate…').count()).toBe(0);
    const [next] = (await owner.person.list()).items.filter(({ replaces }) => replaces !== null);
    await details.getByRole('button', { name: next!.prefix }).click();
    await focusOn(details.getByRole('heading', { name: 'CI deploy' }));
    await details.getByRole('button', { name: old.apiKey.prefix }).waitFor();
    await button(details, 'Undo rotation…').click();
    const question = dialog(page, 'Undo the rotation of “CI deploy”?');
    await question.getByText(`The old key (${old.apiKey.prefix}) keeps working.`).waitFor();
    await question.getByLabel('Yes, revoke the new key permanently').check();
    await button(question, 'Undo rotation').click();
    await page.getByText('The rotation of “CI deploy” was undone. The old key keeps working.').waitFor();
    expect([await validate(old.fullKey), await validate(fullKey)]).toEqual(['grant', 'denial']);
    await row(page, 'CI deploy').getByText('New key in use').waitFor({ state: 'detached' });
    expect(await countKeys(stage.service, owner)).toEqual({ all: 3, active: 2 });

    await chooseAction(page, 'Backup', 'Rotate…');
    await owner.person.rotate(other.apiKey.id);
    const form = dialog(page, 'Rotate “Backup”');
    await form.getByRole('radio', { name: 'Custom' }).check();
    await form.getByLabel('Expiration date').fill('');
    await button(form, 'Rotate key').click();
    await form.getByText('Choose a day from tomorrow to a year from now').waitFor();
    await form.getByRole('radio', { name: '7 days' }).check();
    await form.getByLabel('Your password', { exact: true }).fill('wrong');
    await button(form, 'Rotate key').click();
    await form.getByText('Incorrect password').waitFor();
    await form.getByRole('radio', { name: 'At once' }).check();
    await form.getByText('The old key stops working with the first use of the new one.').waitFor();
    await form.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(form, 'Rotate key').click();
    await form.getByRole('alert').getByText('This key is already being rotated.').waitFor();
    expect(await countKeys(stage.service, owner)).toEqual({ all: 4, active: 3 });
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    // The list is out of date, because it is not read again. The dialog shows the current state.
    await row(page, 'Backup').getByText('Waiting for the first use of the new key').waitFor();
    const { release } = await holdBack(page, isListing);
    await owner.person.revoke(other.apiKey.id);
    await chooseAction(page, 'Backup', 'Undo rotation…');
    await dialog(page, 'Revoke “Backup”?').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page, 'Revoke “Backup”?').waitFor({ state: 'detached' });
    await chooseAction(page, 'CI deploy', 'Rotate…');
    await owner.person.revoke(old.apiKey.id);
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(page, 'Rotate key').click();
    await page.getByRole('alert').getByText('This key has already ended').waitFor();
    release();
  });
});
