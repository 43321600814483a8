import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newServiceAccount, openAllKeys, openDrawer, openFilters, startAdministration } from './support/all-keys.js';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { englishOn } from './support/english-on.js';
import { tabTo } from './support/keyboard.js';
import { expectFits, look, PHONE } from './support/look.js';
import { putEvents, putHistory, putKeys } from './support/rows.js';
import { button, dialog, focusOn, row } from './support/screen.js';
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
      {
        ...{ name: 'Nightly report', createdDaysAgo: 7, usedMinutesAgo: 380, shown: 'c83a1be6f490', createdBy: ada.id },
        use: [0, 1, 2, 3, 4, 5, 6].map((daysAgo) => ({ daysAgo, granted: 1, refused: 0 })),
      },
      { name: 'Old import', createdDaysAgo: 160, usedMinutesAgo: 121 * 1440, shown: '0f7d52c9be18', createdBy: ada.id },
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

  test('have their filters behind a button, the first key at a third of the screen, and headings for the order', async () => {
    const { page } = await openAllKeys(stage);
    await row(page, 'CI deploy').waitFor();
    expect((await page.getByRole('row').nth(1).boundingBox())!.y).toBeLessThanOrEqual(330);
    await page.setViewportSize(PHONE);
    const fields = await openFilters(page);
    await fields.getByLabel('Show').selectOption('Active');
    await look('all-keys-filters', page);
    await page.setViewportSize(PHONE);
    await page.keyboard.press('Escape');
    await fields.waitFor({ state: 'detached' });
    await focusOn(button(page, 'Filter'));
    await page.keyboard.press('Tab');
    await focusOn(button(page, 'Remove filter: Active'));
    const all = page.getByLabel('Select all');
    await tabTo(page, all);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('sort') === 'name');
    await focusOn(button(page, 'Name'));
    await row(page, 'CI deploy').waitFor();
    const places = [all, page.getByLabel('Select “CI deploy”'), row(page, 'CI deploy').getByRole('link')];
    const [head, box, name] = (await Promise.all(places.map((each) => each.boundingBox()))).map((place) => place!.x);
    expect([head, name! > box!]).toEqual([box, true]);
  });

  test('have a bar for the selected ones, which does not cover the row with the focus', async () => {
    const { page } = await openAllKeys(stage);
    await page.setViewportSize({ width: 1280, height: 560 });
    await page.getByLabel('Select “CI deploy”').check();
    const revoke = button(page, 'Revoke 1 key…');
    await look('all-keys-selected', page);
    await page.setViewportSize({ width: 1280, height: 560 });
    const last = page.getByRole('row').last().getByRole('link');
    await page.getByRole('row').nth(2).getByRole('link').focus();
    await tabTo(page, last);
    const [bar, link] = await Promise.all([revoke.boundingBox(), last.boundingBox()]);
    expect(link!.y + link!.height).toBeLessThan(bar!.y);
  });

  test('have the note and the password in sight below the names of many keys that shall end', async () => {
    const owner = await stage.newOwner();
    const many = Array.from({ length: 12 }, (_, n) => ({ name: `Job ${n}` }));
    await putKeys(stage.service, owner, many);
    const { page } = await openAllKeys(stage, `owner=${owner.id}`);
    await page.getByLabel('Select all').check();
    await button(page, 'Revoke 12 keys…').click();
    const form = dialog(page, 'Revoke 12 keys?');
    await focusOn(form.getByLabel('Note (optional)'));
    const [password, end] = await Promise.all([
      form.getByLabel('Your password').boundingBox(),
      button(form, 'Revoke 12 keys').boundingBox(),
    ]);
    expect(password!.y + password!.height).toBeLessThan(end!.y);
    // What is cut off is scrolled by the keyboard.
    await page.keyboard.press('Shift+Tab');
    const list = form.getByRole('list', { name: 'Keys to revoke' });
    await focusOn(list);
    // The result shows each key, and is said once on the screen.
    await form.getByLabel('Your password').fill(PASSWORD);
    await button(form, 'Revoke 12 keys').click();
    const over = dialog(page, '12 of 12 have ended');
    await over.getByRole('list').getByText('Revoked', { exact: true }).nth(11).waitFor();
    const { scrollHeight, clientHeight } = await over
      .getByRole('list')
      .evaluate((element) => ({ scrollHeight: element.scrollHeight, clientHeight: element.clientHeight }));
    expect(scrollHeight).toBe(clientHeight);
    await look('all-keys-over', page);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.getByRole('status').filter({ hasText: 'have ended' }).count()).toBe(1);
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
    await button(drawer, 'Eine Stunde pausieren').waitFor();
    const form = dialog(page, '„CI deploy“ widerrufen?');
    await button(form, 'Widerrufen').click();
    await form.getByText('Geben Sie Ihr Passwort ein').waitFor();
    await expectGerman('all-keys-revoke', page);
    await page.goto(`${stage.service.url}/settings/api-keys?tab=all-keys&owner=ada`);
    await page.getByText('Ada Lovelace hat auch 2 aktive Schlüssel von Dienstkonten erstellt.').waitFor();
    await page.getByLabel('„CI deploy“ auswählen').check();
    await button(page, 'Eine Stunde pausieren').waitFor();
    await expectGerman('all-keys-person', page);
    await page.goto(`${stage.service.url}/settings/api-keys?tab=audit&owner=ada`);
    await row(page, 'CI deploy wurde von der Administration angesehen').first().waitFor();
    await expectGerman('audit', page);
    await button(page, 'Filter').click();
    await expectGerman('audit-filters', page);
    await page.getByLabel('Art').selectOption('Konto endgültig gelöscht');
    await page.getByText('Kein Ereignis passt.').waitFor();
    await expectGerman('audit-none', page);
  });
});
