import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PlatformService } from '#test/support/platform/platform-service.js';
import { ADMIN_PERMISSION } from './all-keys.js';
import { record } from './network.js';
import { button, heading, openCreate, openTerms } from './screen.js';
import { Stage } from './stage.js';

export const HELP = 'https://help.example.com/api-keys';
export const anySignIn = (page: Page) => page.getByRole('link', { name: 'Sign in with your account' });
export const nameField = (page: Page) => page.getByLabel('Name', { exact: true });
/** Everybody is in UTC here. */
const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** For the browser the provider is another site, as in production. */
export const startPlatform = () => PlatformService.start({ HELP_URL: HELP, ADMIN_PERMISSION }, 'localhost');

export async function open(stage: Stage) {
  const owner = { id: '', email: '', person: stage.service.person() };
  const { page } = await stage.open({ signedIn: false, owner });
  return { page, requests: record(page, () => true) };
}

export async function signInThere(page: Page, id: string): Promise<void> {
  await page.getByLabel('Who are you?').fill(id);
  await button(page, 'Sign in').click();
}

export async function openSignedIn(stage: Stage, id: string) {
  const opened = await open(stage);
  await anySignIn(opened.page).click();
  await signInThere(opened.page, id);
  await heading(opened.page).waitFor();
  return opened;
}

export async function fill(page: Page): Promise<void> {
  await openCreate(page);
  await nameField(page).fill('Nightly report');
  await page.getByRole('radio', { name: 'Read and write', exact: true }).check();
  await page.getByLabel('Note (optional)').fill('For the board');
  await page.getByRole('radio', { name: 'Custom' }).check();
  await page.getByLabel('Expiration date').fill(dateIn(12));
}

export async function expectFilled(page: Page): Promise<void> {
  await openTerms(page);
  expect(await nameField(page).inputValue()).toBe('Nightly report');
  expect(await page.getByRole('radio', { name: 'Read and write', exact: true }).isChecked()).toBe(true);
  expect(await page.getByLabel('Note (optional)').inputValue()).toBe('For the board');
  expect(await page.getByLabel('Expiration date').inputValue()).toBe(dateIn(12));
}

export async function createAndBeSentToConfirm(page: Page): Promise<void> {
  await button(page, 'Create key').click();
  await page.getByRole('alert').getByText('Sign in again to confirm that it’s you').waitFor();
}
