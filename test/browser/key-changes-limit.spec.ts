import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { intercept, isCreation } from './support/network.js';
import { button, fillCreate, openCreate } from './support/screen.js';
import { Stage } from './support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.stop());

test('too many keys within an hour are reported in the form with the wait, and what was typed stays', async () => {
  const { page } = await stage.open();
  await intercept(page, isCreation, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '1500' },
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 429, code: 'too_many_changes' }),
    }),
  );
  await openCreate(page);
  await fillCreate(page, { name: 'One more' });
  await button(page, 'Create key').click();
  const words = /You created too many keys within an hour\. Try again in 25 minutes/;
  await page.getByRole('alert').getByText(words).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('One more');
});
