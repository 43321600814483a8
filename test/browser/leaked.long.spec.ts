import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/callers/owners.js';
import { intercept, isRotation, record } from './support/network.js';
import { button, chooseMore, dialog, focusOn, showDetails, shownKey } from './support/screen.js';
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

  test('can be only revoked, and is replaced by a created key if the answer with the new one was lost', async () => {
    const owner = await stage.newOwner();
    const choices = {
      name: 'CI deploy',
      access: 'read-and-write',
      note: 'Deploys the shop',
      permissions: ['systems/1:read', 'systems/1:write'],
      allowedNetworks: ['203.0.113.0/24'],
    };
    const old = await owner.person.newKey({ ...choices, expiresInDays: 12 });
    const { page } = await stage.open({ owner });
    await chooseMore(await showDetails(page, 'CI deploy'), 'It leaked…');
    await button(form(page), 'Only revoke it').click();
    const question = dialog(page, 'Revoke “CI deploy” because it leaked?');
    await focusOn(question.getByLabel('Yes, revoke it permanently'));
    await button(question, 'Cancel').click();
    await question.waitFor({ state: 'detached' });

    const rotations = record(page, isRotation);
    let lost = 0;
    await intercept(page, isRotation, async (route) => {
      if ((lost += 1) > 1) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await chooseMore(await showDetails(page, 'CI deploy'), 'It leaked…');
    await form(page).getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(form(page), 'Replace key now').click();
    await page.getByText('The old key has ended. Revoke the new key and create another one').waitFor();
    expect((await validate(old.fullKey)).outcome).toBe('denial');
    await button(page, 'Revoke it and create another').click();
    expect((await validate((await shownKey(page).innerText()).trim())).outcome).toBe('grant');
    expect(rotations.map((request) => request.postDataJSON())).toMatchObject([{ leaked: true }, { leaked: true }]);
    const [created, ...others] = (await owner.person.list('?status=active')).items;
    expect([created, others]).toMatchObject([choices, []]);
    expect(Date.parse(created!.expiresAt) - Date.parse(created!.createdAt)).toBe(12 * DAY_MS);
  });
});
