import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { countKeys, putKeys } from './support/rows.js';
import { isCreation, record, setServiceTime } from './support/network.js';
import {
  button,
  createDialog,
  fillCreate,
  focusOn,
  openCreate,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

const DAY_MS = 86_400_000;

describe('creating a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('a missing or wrong value is reported at its field without a request, and the first such field has the focus', async () => {
    const { page } = await stage.open();
    const requests = record(page, isCreation);
    await openCreate(page);
    await button(page, 'Create key').click();
    const name = page.getByRole('textbox', { name: 'Name', description: /Give the key a name/ });
    await focusOn(name);
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('textbox', { name: 'Your password', description: /Enter your password/ }).waitFor();
    await fillCreate(page);
    await page.getByLabel('Note (optional)').fill('x'.repeat(201));
    await page.getByRole('radio', { name: 'Custom' }).check();
    const date = page.getByLabel('Expiration date');
    await date.fill('');
    await button(page, 'Create key').click();
    await page.getByRole('textbox', { name: 'Note (optional)', description: /Use at most 200 characters/ }).waitFor();
    await focusOn(page.getByLabel('Note (optional)'));
    await page.getByLabel('Note (optional)').fill('');
    await button(page, 'Create key').click();
    await page.getByText('Choose a day from tomorrow to a year from now').waitFor();
    await focusOn(date);
    expect(requests).toHaveLength(0);

    // What only the service finds is shown at the field, too.
    await page.getByRole('radio', { name: '30 days' }).check();
    await fillCreate(page, { name: 'tab\there' });
    await button(page, 'Create key').click();
    await page.getByRole('textbox', { name: 'Name', description: /This must .*control/ }).waitFor();
    await focusOn(page.getByLabel('Name', { exact: true }));
    expect(requests).toHaveLength(1);
  });

  test('each form with a password has the field of the name that a browser saved with it, and none takes it into the note', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    const { page } = await stage.open({ owner });
    /** The text field before the password. Browsers fill it in. */
    const named = async () => {
      await page.getByLabel('Your password', { exact: true }).waitFor();
      return page.evaluate<unknown[]>(`(() => {
        const form = document.querySelector('input[type=password]').form;
        const fields = [...form.querySelectorAll('input[type=text], input[type=email], input[type=password], textarea')];
        const { autocomplete, value } = fields[fields.findIndex(({ type }) => type === 'password') - 1];
        return [autocomplete, value];
      })()`);
    };
    await openCreate(page);
    expect(await named()).toEqual(['username', owner.email]);
    await page.keyboard.press('Escape');
    for (const action of ['Rotate…', 'It leaked…']) {
      await button(await showDetails(page, 'CI deploy'), action).click();
      expect(await named()).toEqual(['username', owner.email]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
  });

  test('the form says what each access level can do, what no key can, and the day on which the key expires', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await page.getByRole('radio', { name: 'Read-only', description: /Can read what you can read/ }).waitFor();
    await page.getByRole('radio', { name: 'Read and write', description: /create and change what you can/ }).waitFor();
    const never = 'Keys can never delete permanently, manage keys, change account settings or impersonate.';
    await page.getByText(never).waitFor();
    await fillCreate(page);
    await page.getByLabel('Note (optional)').fill('Deploys the shop');
    await page.getByText(`Expires on ${dayIn(90)}.`, { exact: true }).waitFor();
    for (const days of [7, 30, 60, 365]) {
      await page.getByRole('radio', { name: `${days} days`, exact: true }).check();
      await page.getByText(`Expires on ${dayIn(days)}.`, { exact: true }).waitFor();
    }
    // The service sends no mail.
    expect(await page.getByText('We’ll email you').count()).toBe(0);
    await page.getByRole('radio', { name: 'Custom' }).check();
    await page.getByLabel('Expiration date').fill(new Date(Date.now() + 12 * DAY_MS).toISOString().slice(0, 10));
    await page.getByText(`Expires on ${dayIn(12)}, in 12 days.`, { exact: true }).waitFor();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    const [key] = (await owner.person.list()).items;
    expect(key!.note).toBe('Deploys the shop');
    expect(Date.parse(key!.expiresAt) - Date.parse(key!.createdAt)).toBe(12 * DAY_MS);
  });

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

  test('a custom date and the end on the new key are right where the browser’s clock is 40 days behind', async () => {
    const { page, owner } = await stage.open({
      prepare: (page) => page.clock.setFixedTime(Date.now() - 40 * DAY_MS),
    });
    await openCreate(page);
    await fillCreate(page);
    await page.getByRole('radio', { name: 'Custom' }).check();
    await page.getByLabel('Expiration date').fill(new Date(Date.now() + 12 * DAY_MS).toISOString().slice(0, 10));
    await page.getByText(`Expires on ${dayIn(12)}, in 12 days.`, { exact: true }).waitFor();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    await page.getByText(`Expires on ${dayIn(12)}.`, { exact: true }).waitFor();
    const [key] = (await owner.person.list()).items;
    expect(Date.parse(key!.expiresAt) - Date.parse(key!.createdAt)).toBe(12 * DAY_MS);
  });

  test('an incorrect password is reported at its field and removed, and everything else stays', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await expectNoneAlone(page);
    await fillCreate(page, { name: 'Backup script', password: 'wrong' });
    await page.getByRole('radio', { name: 'Read and write', exact: true }).check();
    await page.getByRole('radio', { name: '30 days' }).check();
    await button(page, 'Create key').click();
    const password = page.getByRole('textbox', { name: 'Your password', description: /Incorrect password/ });
    await focusOn(password);
    expect(await password.inputValue()).toBe('');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Backup script');
    expect(await page.getByRole('radio', { name: 'Read and write', exact: true }).isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    await fillCreate(page, { name: 'Backup script' });
    await page.keyboard.press('Enter');
    await shownKey(page).waitFor();
    expect((await owner.person.list()).items).toMatchObject([{ name: 'Backup script', access: 'read-and-write' }]);
  });

  test('a limit that was reached in the meantime is reported in the form, and what was typed stays', async () => {
    const owner = await stage.newOwner();
    await putKeys(
      stage.service,
      owner,
      Array.from({ length: 4 }, (_, n) => ({ name: `Key ${n}` })),
    );
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await fillCreate(page, { name: 'The sixth' });
    await owner.person.newKey({ name: 'The fifth, from elsewhere' });
    await button(page, 'Create key').click();
    await page
      .getByRole('alert')
      .getByText(/This service allows 5 active keys/)
      .waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('The sixth');
    expect(await countKeys(stage.service, owner)).toEqual({ all: 5, active: 5 });
  });

  test('a name that an active key has is only a warning, and a closed form keeps all but the password', async () => {
    const owner = await stage.newOwner();
    const { apiKey } = await owner.person.newKey({ name: 'Backup script' });
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await fillCreate(page, { name: ' backup script' });
    const warning = page.getByRole('status').getByText('You already have an active key named “Backup script”');
    await warning.waitFor();
    expect(await warning.innerText()).toContain(apiKey.prefix);
    await fillCreate(page, { name: 'Half typed' });
    await warning.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await createDialog(page).waitFor({ state: 'detached' });
    await openCreate(page);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half typed');
    expect(await page.getByLabel('Your password', { exact: true }).inputValue()).toBe('');
    await fillCreate(page, { name: 'Backup script' });
    await warning.waitFor();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    expect(await countKeys(stage.service, owner)).toEqual({ all: 2, active: 2 });
  });

  test('a double click, or Enter held down, sends one request and creates one key', async () => {
    const { page, owner } = await stage.open();
    const requests = record(page, isCreation);
    await openCreate(page);
    await fillCreate(page);
    await button(page, 'Create key').dblclick();
    await shownKey(page).waitFor();
    expect(requests).toHaveLength(1);
    await storeKey(page);
    await openCreate(page);
    await fillCreate(page, { name: 'Another' });
    // In one task of the page, before it can draw anything in between.
    await page.locator('form').evaluate(submitTwice);
    await shownKey(page).waitFor();
    expect(requests).toHaveLength(2);
    expect(await countKeys(stage.service, owner)).toEqual({ all: 2, active: 2 });
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

    const { page: other } = await stage.open({
      prepare: (page) => page.route(/assets\/dialogs-.*\.js$/, (route) => route.abort()),
    });
    await other.getByRole('button', { name: 'Create your first API key' }).click();
    await other.getByRole('status').getByText('The service can’t be reached.').waitFor();
    expect(await createDialog(other).count()).toBe(0);
  });
});

function submitTwice(form: unknown): void {
  const { requestSubmit } = form as { requestSubmit(): void };
  requestSubmit.call(form);
  requestSubmit.call(form);
}

/** Two rows of three. */
async function expectNoneAlone(page: Page): Promise<void> {
  const choices = page.getByRole('group', { name: 'Expires in' }).locator('label');
  const tops = await choices.evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
  expect(tops.map((top) => tops.indexOf(top))).toEqual([0, 0, 0, 3, 3, 3]);
}

/** As the browser of the tests writes it. */
function dayIn(days: number): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  return format.format(Date.now() + days * DAY_MS);
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
