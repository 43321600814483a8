import type { Locator, Page } from 'playwright-core';
import { eventually } from '#test/support/eventually.js';
import { PASSWORD } from '#test/support/callers/owners.js';

/** Finds the elements of the screen by what a person sees or a screen reader reads out. */
export const button = (scope: Page | Locator, name: string) => scope.getByRole('button', { name, exact: true });
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
export const row = (page: Page, keyName: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: keyName }) });
export const heading = (page: Page) => page.getByRole('heading', { name: 'API keys', exact: true });
export const createDialog = (page: Page) => dialog(page, 'Create API key');
export const revealDialog = (page: Page) => page.getByRole('dialog', { name: /^Your new key “/ });
export const shownKey = (page: Page) => page.getByRole('textbox', { name: 'Your new API key' });

/** Only a long list has filters. The name of each ends with its count. */
export async function showFilter(page: Page, name: string): Promise<void> {
  await page.getByLabel('Show keys').selectOption(name);
}

/** Unfolds the ended keys. */
export async function showEnded(page: Page): Promise<void> {
  const fold = page.getByRole('button', { name: /^Ended \(\d+\+?\)$/ });
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
}

/** The link that covers the row. */
export const keyLink = (page: Page, keyName: string) =>
  row(page, keyName).getByRole('link', { name: keyName, exact: true });

export async function showDetails(page: Page, keyName: string): Promise<Locator> {
  await keyLink(page, keyName).click();
  await dialog(page, keyName).waitFor();
  return dialog(page, keyName);
}

export async function keyNames(page: Page): Promise<string[]> {
  const headers = await page.getByRole('rowheader').all();
  return Promise.all(headers.map(async (header) => header.getByRole('link').innerText()));
}

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await button(page, 'Sign in').click();
}

export async function openCreate(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Create (API|your first API|its first API) key$/ }).click();
  return openTerms(page);
}

/** Opens all fields behind the words of the sentence. */
export async function openTerms(page: Page, form = createDialog(page)): Promise<Locator> {
  await form.waitFor();
  const closed = form.getByRole('button', { expanded: false });
  while ((await closed.count()) > 0) await closed.first().click();
  return form;
}

export async function fillCreate(page: Page, { name = 'CI deploy', password = PASSWORD } = {}): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Your password', { exact: true }).fill(password);
}

/** Creates a key, leaves it on the screen and answers it. */
export async function createKey(page: Page, name = 'CI deploy'): Promise<string> {
  await openCreate(page);
  await fillCreate(page, { name });
  await button(page, 'Create key').click();
  return (await shownKey(page).innerText()).trim();
}

/** Copies the shown key and closes the dialog. */
export async function storeKey(page: Page): Promise<void> {
  await button(page, 'Copy key').click();
  await button(page, 'Copied').waitFor();
  await button(page, 'Done').click();
  await revealDialog(page).waitFor({ state: 'detached' });
}

/** Fills in what confirms a rotation, presses the button, and answers the new key, which stays on the screen. */
export async function rotateKey(page: Page): Promise<string> {
  await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
  await button(page, 'Rotate key').click();
  return (await shownKey(page).innerText()).trim();
}

type Action =
  | 'Details'
  | 'Details of the old key'
  | 'Edit name and note'
  | 'Create again…'
  | 'It leaked…'
  | 'Rotate…'
  | 'Revoke…'
  | 'End the old key now…'
  | 'Undo rotation…';

export async function chooseAction(scope: Page | Locator, keyName: string, action: Action): Promise<void> {
  await button(scope, `Actions for ${keyName}`).click();
  await scope.getByRole('menuitem', { name: action }).click();
}

/** Of the menu below a key's details. */
export async function chooseMore(details: Locator, action: Action): Promise<void> {
  await button(details, 'More actions').click();
  await details.getByRole('menuitem', { name: action }).click();
}

/** Opens the menu of a key, and answers what it offers. */
export async function actionsOf(scope: Page | Locator, keyName: string): Promise<string[]> {
  await button(scope, `Actions for ${keyName}`).click();
  const items = scope.getByRole('menuitem');
  await items.first().waitFor();
  return items.allInnerTexts();
}

export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => node.ownerDocument.activeElement === node);

/** Waits until it is there. */
export async function focusOn(element: Locator): Promise<void> {
  try {
    await eventually(() => hasFocus(element));
  } catch (cause) {
    const seen = await element.page().evaluate<string>('document.activeElement?.outerHTML.slice(0, 200)');
    throw new Error(`the focus is not on ${element}, but on ${seen}`, { cause });
  }
}
