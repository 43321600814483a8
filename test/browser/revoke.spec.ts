import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { button, chooseAction, dialog, focusOn, heading, openCreate, row, showEnded } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('revoking a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('shows at 200 % the whole field that confirms, in the form for a new key and in the question before an end', async () => {
    const owner = await stage.newOwner();
    await owner.person.newKey({ name: 'CI deploy' });
    const { page } = await stage.open({ owner, options: { viewport: { width: 640, height: 400 } } });
    const isUncovered = (field: Locator) =>
      field.evaluate((input) => {
        const { left, right, top, bottom } = input.getBoundingClientRect();
        const at = (y: number) => input.ownerDocument.elementFromPoint((left + right) / 2, y);
        return [top + 2, (top + bottom) / 2, bottom - 2].every((y) => input.contains(at(y)));
      });
    await chooseAction(page, 'CI deploy', 'Revoke…');
    const box = page.getByLabel('Yes, revoke it permanently');
    await focusOn(box);
    await eventually(() => isUncovered(box));
    // Also where the person scrolls on from there.
    const footer = button(dialog(page, 'Revoke “CI deploy”?'), 'Revoke key');
    const gap = async () => (await footer.boundingBox())!.y - (await box.boundingBox())!.y;
    const before = await gap();
    await page.mouse.move(320, 200);
    await page.mouse.wheel(0, -60);
    await eventually(async () => (await box.boundingBox())!.y > 0 && Math.abs((await gap()) - before) < 1);
    await page.keyboard.press('Escape');
    await openCreate(page);
    const password = page.getByLabel('Your password', { exact: true });
    await password.focus();
    await eventually(() => isUncovered(password));
    // From the end of the form, too.
    const topOf = async () => (await password.boundingBox())!.y;
    await page.mouse.wheel(0, 400);
    await eventually(() => isUncovered(button(page, 'Create key')));
    const atTheEnd = await topOf();
    await page.mouse.wheel(0, -60);
    await eventually(async () => (await topOf()) > atTheEnd + 50);
    expect(await isUncovered(password)).toBe(true);
  });

  test('removes the key from the active ones at once, and ValidateKey refuses it', async () => {
    const owner = await stage.newOwner();
    const { fullKey } = await owner.person.newKey({ name: 'CI deploy' });
    const another = await owner.person.newKey({ name: 'Another' });
    const { page } = await stage.open({ owner });
    expect((await stage.service.clients.validate(fullKey)).outcome).toBe('grant');
    await chooseAction(page, 'CI deploy', 'Revoke…');
    await page.getByLabel('Yes, revoke it permanently').check();
    await button(page, 'Revoke key').click();
    await page.getByRole('status').getByText('“CI deploy” was revoked').waitFor();
    expect((await stage.service.clients.validate(fullKey)).denial?.reason).toBe('REASON_REVOKED');
    await page.getByText('1 active key, 4 more possible').waitFor();
    expect(await row(page, 'CI deploy').count()).toBe(0);
    await focusOn(heading(page));
    await showEnded(page);
    await row(page, 'CI deploy').getByText('Revoked by you').waitFor();

    // A key that was revoked elsewhere in the meantime is not an error.
    await chooseAction(page, 'Another', 'Revoke…');
    await page.getByLabel('Yes, revoke it permanently').check();
    await owner.person.revoke(another.apiKey.id);
    await button(page, 'Revoke key').click();
    await page.getByRole('status').getByText('“Another” had already been revoked').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
