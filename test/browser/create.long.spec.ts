import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { isCreation, record, setServiceTime } from './support/network.js';
import { button, createDialog, fillCreate, focusOn, openCreate, shownKey } from './support/screen.js';
import { Stage } from './support/stage.js';

const DAY_MS = 86_400_000;

describe('creating a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test.each([
    ['Pacific/Kiritimati', '2027-02-21T11:30:00Z', '2027-02-23', '2028-02-22', 'Feb 22, 2028', 365],
    ['Pacific/Pago_Pago', '2027-02-21T10:30:00Z', '2027-02-21', '2028-02-20', 'Feb 20, 2028', 365],
    ['America/New_York', '2027-02-21T04:30:00Z', '2027-02-21', '2028-02-20', 'Feb 20, 2028', 365],
  ])('a custom date in %s is one of the next 365 days there', async (timezoneId, now, first, last, text, days) => {
    const { page } = await stage.open({
      options: { timezoneId },
      prepare: (page) => setServiceTime(page, now),
    });
    const requests = record(page, isCreation);
    await openCreate(page);
    await fillCreate(page);
    await page.getByRole('radio', { name: 'Custom' }).check();
    const date = page.getByLabel('Expiration date');
    expect([await date.getAttribute('min'), await date.getAttribute('max')]).toEqual([first, last]);
    for (const outside of [dayAfter(first, -1), dayAfter(last, 1)]) {
      await date.fill(outside);
      await button(page, 'Create key').click();
      await page.getByText('Choose a day from tomorrow to a year from now').waitFor();
      await date.fill(first);
      await page.getByText(/^Expires on .*, in 1 day\.$/).waitFor();
    }
    await date.fill(last);
    await page.getByText(`Expires on ${text}, in ${days} days.`, { exact: true }).waitFor();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    expect(requests.map((request) => request.postDataJSON())).toMatchObject([{ expiresInDays: days }]);
  });

  test('the words of the sentence are whole on a narrow screen, and as large as a finger needs', async () => {
    const { page } = await stage.open({ options: { viewport: { width: 320, height: 640 } } });
    await openCreate(page);
    await page.getByRole('radio', { name: 'Read and write' }).check();
    const words = createDialog(page).getByRole('button', { expanded: true });
    for (const word of await words.all()) {
      // oxlint-disable-next-line no-await-in-loop
      const { x, width, height } = (await word.boundingBox())!;
      expect(x + width).toBeLessThan(320 - 16);
      expect(height).toBeGreaterThanOrEqual(24);
    }
    expect(await words.count()).toBe(4);
  });

  test('a key until the last date that a limit allows has no day more, even where that day has 25 hours', async () => {
    const { page } = await stage.open({
      options: { timezoneId: 'America/New_York' },
      prepare: (page) => setServiceTime(page, '2026-10-02T04:30:00Z', { maxKeyDays: 30 }),
    });
    const requests = record(page, isCreation);
    await openCreate(page);
    await fillCreate(page);
    await page.getByRole('radio', { name: 'Custom' }).check();
    await page.getByLabel('Expiration date').fill('2026-11-01');
    await createDialog(page)
      .getByRole('button', { name: /^Expires in: for 30 days/ })
      .waitFor();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    expect(requests.map((request) => request.postDataJSON())).toMatchObject([{ expiresInDays: 30 }]);
  });

  test('a custom date is the day on which the key ends, also when the clocks change before it', async () => {
    const { page } = await stage.open({
      options: { timezoneId: 'America/New_York' },
      // Half an hour before midnight.
      prepare: (page) => setServiceTime(page, '2027-03-02T04:30:00Z'),
    });
    await openCreate(page);
    await page.getByRole('radio', { name: 'Custom' }).check();
    for (const [date, text] of [
      ['2027-03-08', 'Expires on Mar 8, 2027, in 7 days.'],
      // No number of days of 24 hours ends on the 14th.
      ['2027-03-14', 'Expires on Mar 13, 2027, in 12 days.'],
      ['2027-04-01', 'Expires on Apr 1, 2027, in 30 days.'],
    ] as const) {
      await page.getByLabel('Expiration date').fill(date);
      await page.getByText(text, { exact: true }).waitFor();
    }
  });

  test('the form opens by the first click, also if it is still loading, and a failure to load it is reported', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { page } = await stage.open({
      prepare: (page) =>
        page.route(/assets\/dialogs-.*\.js$/, async (route) => {
          await held;
          await route.continue();
        }),
    });
    await page.getByRole('button', { name: 'Create your first API key' }).click();
    expect(await createDialog(page).count()).toBe(0);
    release();
    await createDialog(page).waitFor();
    await focusOn(page.getByLabel('Name', { exact: true }));

    let isDown = true;
    const { page: other } = await stage.open({
      prepare: (page) => page.route(/assets\/dialogs-.*\.js$/, (route) => (isDown ? route.abort() : route.continue())),
    });
    await other.getByRole('button', { name: 'Create your first API key' }).click();
    await other.getByRole('alert').getByText('The service can’t be reached.').waitFor();
    expect(await createDialog(other).count()).toBe(0);
    isDown = false;
    await button(other, 'Try again').click();
    await createDialog(other).waitFor();
  });
});

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
