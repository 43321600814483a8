import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newServiceAccount, openAllKeys, openDrawer, startAdministration } from './support/all-keys.js';
import { newOwner } from '../support/callers/owners.js';
import { englishOn } from './support/english-on.js';
import { expectFits, look, PHONE } from './support/look.js';
import { putEvents, putHistory, putKeys } from './support/rows.js';
import { button, dialog, row } from './support/screen.js';
import type { Stage } from './support/stage.js';
import { HISTORY, KEYS } from './support/states.js';

describe('the states of all keys', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startAdministration();
    const { service } = stage;
    const ada = await newOwner(service, { id: 'ada', email: 'ada@example.com', displayName: 'Ada Lovelace' });
    const alan = await newOwner(service, { id: 'alan', email: 'alan@example.com', displayName: 'Alan Turing' });
    const bot = await newServiceAccount(stage, 'CI bot', ada);
    await putKeys(service, ada, KEYS.slice(0, 2));
    await putKeys(service, alan, [{ ...KEYS[3]!, shown: '5d20c7f1a98b' }]);
    await putKeys(service, bot, [
      { name: 'Nightly report', createdDaysAgo: 7, usedMinutesAgo: 380, shown: 'c83a1be6f490' },
    ]);
    await putEvents(service, ada, [{ type: 'api_key.created', keyName: 'CI deploy', minutesAgo: 104 * 1440 }]);
    await putHistory(service, ada, KEYS[0]!.shown!, HISTORY);
    await service.clients.account('SuspendAccount', alan.id);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('list, drawer and form pass every axe rule, light and dark, and fit into 360 px and 200 % zoom', async () => {
    const { page } = await openAllKeys(stage);
    await row(page, 'CI deploy')
      .getByText(/^\d+ minutes ago$/)
      .waitFor();
    await look('all-keys', page);
    const drawer = await openDrawer(page, 'CI deploy');
    await look('all-keys-drawer', page);
    await button(drawer, 'Revoke key…').click();
    const form = dialog(page, 'Revoke “CI deploy”?');
    await form.getByLabel('Note (optional)').fill('Found in a public log');
    await look('all-keys-revoke', page);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Audit' }).click();
    await row(page, 'CI deploy was viewed').waitFor();
    await look('audit', page);
  });

  test('have their filters behind a button on a phone, and the boxes before the names', async () => {
    const { page } = await openAllKeys(stage);
    await row(page, 'CI deploy').waitFor();
    expect(await button(page, 'Filters').isVisible()).toBe(false);
    await page.setViewportSize(PHONE);
    await page.getByLabel('Status').waitFor({ state: 'hidden' });
    await button(page, 'Filters').click();
    await page.getByLabel('Status').selectOption('Active');
    await button(page, 'Filters (1)').click();
    await page.getByLabel('Status').waitFor({ state: 'hidden' });
    const places = [
      page.getByLabel('Select all'),
      page.getByLabel('Select “CI deploy”'),
      row(page, 'CI deploy').getByRole('link'),
    ].map((each) => each.boundingBox());
    const [all, box, name] = (await Promise.all(places)).map((place) => place!.x);
    expect([all, name! > box!]).toEqual([box, true]);
  });

  test('are German for those who read it, without an English text', async () => {
    const { page } = await openAllKeys(stage, '', { locale: 'de-DE' });
    const expectGerman = async (state: string, of: Page) => {
      expect({ state, english: await englishOn(of) }).toEqual({ state, english: [] });
      await expectFits(`german-${state}`, of);
    };
    await row(page, 'CI deploy')
      .getByText(/^vor \d+ Minuten$/)
      .waitFor();
    await expectGerman('all-keys', page);
    await row(page, 'CI deploy').getByRole('link').click();
    const drawer = dialog(page, 'CI deploy');
    await drawer.getByRole('slider').waitFor();
    await expectGerman('all-keys-drawer', page);
    await button(drawer, 'Widerrufen…').click();
    const form = dialog(page, '„CI deploy“ widerrufen?');
    await button(form, 'Widerrufen').click();
    await form.getByText('Geben Sie Ihr Passwort ein').waitFor();
    await expectGerman('all-keys-revoke', page);
    await page.goto(`${stage.service.url}/settings/api-keys?tab=audit&owner=ada`);
    await row(page, 'CI deploy wurde von der Administration angesehen').first().waitFor();
    await expectGerman('audit', page);
    await page.getByLabel('Art').selectOption('Konto endgültig gelöscht');
    await page.getByText('Kein Ereignis passt.').waitFor();
    await expectGerman('audit-none', page);
  });
});
