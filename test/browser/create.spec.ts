import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { countKeys, putKeys } from './support/rows.js';
import { isCreation, record } from './support/network.js';
import { button, createDialog, fillCreate, focusOn, openCreate, shownKey, storeKey } from './support/screen.js';
import { Stage } from './support/stage.js';

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
    await page.getByRole('radio', { name: 'Other' }).check();
    const days = page.getByRole('textbox', { name: 'Number of days (1 to 365)' });
    await days.fill('366');
    await button(page, 'Create key').click();
    await page.getByText('A whole number from 1 to 365').waitFor();
    await focusOn(days);
    expect(requests).toHaveLength(0);

    // What only the service finds is shown at the field, too.
    await days.fill('365');
    await fillCreate(page, { name: 'tab\there' });
    await button(page, 'Create key').click();
    await page.getByRole('textbox', { name: 'Name', description: /This must .*control/ }).waitFor();
    await focusOn(page.getByLabel('Name', { exact: true }));
    expect(requests).toHaveLength(1);
  });

  test('the form explains each access level, what no key can do, and the day on which the key expires', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await page.getByRole('radio', { name: 'Read-only', description: /Changes nothing/ }).waitFor();
    await page.getByRole('radio', { name: 'Read and write', description: /creates and changes/ }).waitFor();
    await page.getByText(/No key can ever delete permanently, manage API keys, change account settings or/).waitFor();
    await fillCreate(page);
    await page.getByText(`Stops working on ${dayIn(90)}.`).waitFor();
    for (const days of [7, 30, 180, 365]) {
      await page.getByRole('radio', { name: `${days} days`, exact: true }).check();
      await page.getByText(`Stops working on ${dayIn(days)}.`).waitFor();
    }
    await page.getByRole('radio', { name: 'Other' }).check();
    await page.getByLabel('Number of days (1 to 365)').fill('12');
    await page.getByText(`Stops working on ${dayIn(12)}.`).waitFor();
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    const [key] = (await owner.person.list()).items;
    expect(Date.parse(key!.expiresAt) - Date.parse(key!.createdAt)).toBe(12 * 86_400_000);
  });

  test('an incorrect password is reported at its field and removed, and everything else stays', async () => {
    const { page, owner } = await stage.open();
    await openCreate(page);
    await expectNoneAlone(page);
    await fillCreate(page, { name: 'Backup script', password: 'wrong' });
    await page.getByRole('radio', { name: 'Read and write' }).check();
    await page.getByRole('radio', { name: '30 days' }).check();
    await button(page, 'Create key').click();
    const password = page.getByRole('textbox', { name: 'Your password', description: /Incorrect password/ });
    await focusOn(password);
    expect(await password.inputValue()).toBe('');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Backup script');
    expect(await page.getByRole('radio', { name: 'Read and write' }).isChecked()).toBe(true);
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
      .getByText(/You have reached the maximum number of API keys/)
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
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
  return format.format(Date.now() + days * 86_400_000);
}
