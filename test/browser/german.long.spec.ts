import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import { englishOn } from './support/english-on.js';
import { expectFits } from './support/look.js';
import { putEvents, putHistory, putKeys, type EventRow, type KeyRow } from './support/rows.js';
import { button, dialog, keyLink, openTerms, row } from './support/screen.js';
import { Stage } from './support/stage.js';
import { HISTORY, KEYS } from './support/states.js';

const GERMAN = { locale: 'de-DE' };

const ROWS: readonly KeyRow[] = [
  ...KEYS,
  { name: 'Nightly report', createdDaysAgo: 1, expiresInDays: 29, graceSeconds: 604_800 },
  { name: 'Nightly report', createdDaysAgo: 21, expiresInDays: 9, usedMinutesAgo: 26 * 60 },
  {
    name: 'Pushed by mistake',
    revokedDaysAgo: 2,
    revokedReason: 'leaked',
    leak: { source: 'GitHub', url: 'https://github.com/ada/tools/blob/main/.env' },
  },
];

const EVENTS: readonly EventRow[] = [
  { type: 'api_key.created', keyName: 'CI deploy', minutesAgo: 25 * 60 },
  { type: 'authentication.failed', keyName: 'Old laptop', reason: 'expired', count: 14, minutesAgo: 700 },
  { type: 'authentication.failed', reason: 'incorrect-password', minutesAgo: 12.2 },
];

describe('the screen in German', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  /** No English text, and nothing too wide at 360 px and 200 % zoom. */
  async function expectGerman(state: string, page: Page): Promise<void> {
    expect({ state, english: await englishOn(page) }).toEqual({ state, english: [] });
    await expectFits(`german-${state}`, page);
  }

  test('greets people whose browser prefers German with a German sign-in', async () => {
    const { page } = await stage.open({ signedIn: false, options: GERMAN });
    await button(page, 'Anmelden').click();
    await page.getByText('Geben Sie Ihr Passwort ein').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await page.title()).toBe('API-Schlüssel · Latchkey');
    await expectGerman('sign-in', page);
  });

  test('shows list, forms, details and activity without an English text, and each fits', async () => {
    const page = await openList();
    await row(page, 'CI deploy')
      .getByText(/^vor \d+ Minuten$/)
      .waitFor();
    await button(page, 'Beendet (3)').click();
    await row(page, 'Pushed by mistake').getByText('Offengelegt').waitFor();
    await button(page, 'Aktionen für CI deploy').click();
    await page.getByRole('menuitem', { name: 'Widerrufen…' }).waitFor();
    await expectGerman('list', page);
    await page.keyboard.press('Escape');

    await keyLink(page, 'CI deploy').click();
    const details = dialog(page, 'CI deploy');
    await details.getByText('wurde erstellt').waitFor();
    await expectGerman('details', page);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });

    await button(page, 'API-Schlüssel erstellen').click();
    const form = await openTerms(page, dialog(page, 'API-Schlüssel erstellen'));
    await form.getByText(/^Läuft am \d\d\.\d\d\.\d{4} ab\./).waitFor();
    await button(form, 'Erstellen').click();
    await form.getByText('Geben Sie dem Schlüssel einen Namen').waitFor();
    await expectGerman('create', page);
    await button(form, 'Abbrechen').click();
    await form.waitFor({ state: 'detached' });

    await choose(page, 'Status dashboard', 'Rotieren…');
    await dialog(page, '„Status dashboard“ rotieren').waitFor();
    await expectGerman('rotate', page);
    await button(page, 'Abbrechen').click();
    await dialog(page, '„Status dashboard“ rotieren').waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Aktivität' }).click();
    await page.getByText('Old laptop abgelehnt: abgelaufen').waitFor();
    await expectGerman('activity', page);
  });

  test('is English for a browser that prefers a language that the screen lacks, and this test would see it', async () => {
    const page = await openList({ locale: 'fr-FR' });
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    expect(await englishOn(page)).toEqual(expect.arrayContaining(['Create API key', 'Last used', 'Needs attention']));
  });

  test('is loaded only by those who read it', async () => {
    expect(await scriptsOf('en-US')).toEqual({ english: true, german: false });
    expect(await scriptsOf('de-AT')).toEqual({ english: false, german: true });
  });

  async function openList(options: { locale: string } = GERMAN): Promise<Page> {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, ROWS);
    await putEvents(stage.service, owner, EVENTS);
    await putHistory(stage.service, owner, KEYS[0]!.shown!, HISTORY);
    const { page } = await stage.open({ owner, options });
    await row(page, 'CI deploy').waitFor();
    return page;
  }

  /** Which of the two languages the loaded scripts contain. */
  async function scriptsOf(locale: string): Promise<{ english: boolean; german: boolean }> {
    const loaded: Response[] = [];
    const { page } = await stage.open({
      options: { locale },
      prepare: async (given) => given.on('response', (response) => loaded.push(response)),
    });
    await page.getByRole('tab').first().waitFor();
    const scripts = loaded.filter((response) => response.url().endsWith('.js'));
    const texts = await Promise.all(scripts.map((response) => response.text()));
    const contains = (text: string) => texts.some((script) => script.includes(text));
    return { english: contains('Needs attention'), german: contains('Handlungsbedarf') };
  }
});

async function choose(page: Page, keyName: string, action: string): Promise<void> {
  await button(page, `Aktionen für ${keyName}`).click();
  await page.getByRole('menuitem', { name: action }).click();
}
