import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { holdBack, isRotation } from './support/network.js';
import { button, chooseMore, dialog, revealDialog, showDetails, shownKey, storeKey } from './support/screen.js';
import { Stage } from './support/stage.js';

const DAY_MS = 86_400_000;
const form = (page: Page) => dialog(page, 'Replace leaked “CI deploy”');

describe('a key that leaked', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const validate = async (key: string) => stage.service.clients.validate(key, { clientIp: '203.0.113.7' });

  test('is replaced by a new key with the same choices, and refused at once, with the cause', async () => {
    const owner = await stage.newOwner();
    const choices = { name: 'CI deploy', access: 'read-and-write', expiresInDays: 12, note: 'Deploys the shop' };
    const old = await owner.person.newKey(choices);
    await validate(old.fullKey);
    await eventually(async () => (await owner.person.list()).items[0]?.recent.granted.at(-1) === 1);
    const { page } = await stage.open({ owner });
    await chooseMore(await showDetails(page, 'CI deploy'), 'It leaked…');
    await form(page).getByText('The old key stops working at once').waitFor();
    await form(page).getByText('1 accepted · 0 rejected').waitFor();
    await form(page)
      .getByText(/^203\.0\.113\.7 via dev-validator · (just now|\d+ seconds ago)$/)
      .waitFor();
    await button(form(page), 'Replace key now').click();
    await form(page).getByText('Enter your password').waitFor();
    expect((await validate(old.fullKey)).outcome).toBe('grant');

    await form(page).getByLabel('Your password', { exact: true }).fill(PASSWORD);
    const answer = await holdBack(page, isRotation);
    await button(form(page), 'Replace key now').click();
    await form(page).getByText('Stopping it everywhere…').waitFor();
    answer.release();
    const fullKey = (await shownKey(page).innerText()).trim();
    expect((await validate(old.fullKey)).denial?.reason).toBe('REASON_REVOKED');
    await page.getByText('The old key no longer works. Put the new one in its place.').waitFor();
    expect((await validate(fullKey)).outcome).toBe('grant');
    await revealDialog(page).getByText('Accepted from 203.0.113.7 via dev-validator').waitFor();
    await storeKey(page);
    const [next, ended] = (await owner.person.list()).items;
    expect(ended).toMatchObject({ id: old.apiKey.id, status: 'revoked', revokedReason: 'leaked' });
    const { name, access, note } = choices;
    expect(next).toMatchObject({ name, access, note, status: 'active', replaces: old.apiKey.id });
    expect(Date.parse(next!.expiresAt) - Date.parse(next!.createdAt)).toBe(12 * DAY_MS);
  });
});
