import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import {
  button,
  createKey,
  dialog,
  focusOn,
  heading,
  revealDialog,
  row,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';
import { placesOf, tracesOf } from './support/traces.js';

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

describe('the new key, shown once', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('it is shown in full, the service takes it, and after closing it is nowhere', async () => {
    const { page } = await stage.open();
    const key = await createKey(page);
    expect(key).toMatch(/^lk_[0-9a-f]{24}\.[0-9a-f]{64}$/);
    expect((await stage.service.clients.validate(key)).outcome).toBe('grant');
    await page.getByText('This is the only time that “CI deploy” is shown in full. Copy it now.').waitFor();
    await page.getByText('In a password manager, a secrets manager or an environment variable.').waitFor();
    await page.getByText('Never in source control, chat or e-mail.').waitFor();
    expect(await placesOf(page, key)).toEqual(['document']);
    await storeKey(page);
    await row(page, 'CI deploy').waitFor();
    expect(await placesOf(page, key)).toEqual([]);
    const { localStorage, sessionStorage, indexedDB, caches, historyState, url } = await tracesOf(page);
    expect({ localStorage, sessionStorage, indexedDB, caches, historyState, url }).toEqual({
      localStorage: '{}',
      sessionStorage: '{}',
      indexedDB: '[]',
      caches: '[]',
      historyState: 'null',
      url: `${stage.service.url}/settings/api-keys`,
    });
  });

  test('the copy buttons copy exactly the key and a line that is granted; where copying is blocked, the key is left selected', async () => {
    const { page } = await stage.open();
    const key = await createKey(page);
    await focusOn(button(page, 'Copy key'));
    await page.keyboard.press('Enter');
    await button(page, 'Copied').waitFor();
    await page.getByRole('status').getByText('The key was copied to the clipboard').waitFor({ state: 'attached' });
    expect(await clipboard(page)).toBe(key);

    await button(page, 'Copy command').click();
    await eventually(async () => (await clipboard(page)) !== key);
    const [, authorization, url] =
      /^curl -H "Authorization: ([^"]+)" '(https?:[^']+)'$/.exec(await clipboard(page)) ?? [];
    expect(authorization).toBe(`Bearer ${key}`);
    expect(URL.canParse(url ?? '')).toBe(true);
    const answer = await stage.service.clients.validateRequest({
      authorization: authorization!,
      operation: 'OPERATION_READ',
    });
    expect(answer.outcome).toBe('grant');

    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('blocked'))");
    await page
      .getByRole('button', { name: /^(Copy key|Copied)$/ })
      .first()
      .click();
    await page.getByText('Copying is blocked here. The key is selected: press Ctrl+C or ⌘C.').waitFor();
    expect((await page.evaluate<string>('String(getSelection())')).trim()).toBe(key);
  });

  test('it does not close as done before the box is ticked; closing early asks: it comes back, or is gone for good', async () => {
    const { page } = await stage.open();
    const key = await createKey(page);
    // The second click of a slow double click on "Create key" can fall outside of the dialog, which is smaller now.
    await page.mouse.click(2, 400);
    await button(page, 'Done').click();
    await page.getByText('Store the key first, then tick this box').waitFor();
    await focusOn(page.getByLabel('I have stored it'));
    const question = dialog(page, 'Close without storing the key?');
    await button(revealDialog(page), 'Close').click();
    await question.getByText('It can’t be shown again.').waitFor();
    await focusOn(button(question, 'Back to the key'));
    await page.keyboard.press('Escape');
    expect((await shownKey(page).innerText()).trim()).toBe(key);
    await page.keyboard.press('Escape');
    await button(question, 'Back to the key').click();
    expect((await shownKey(page).innerText()).trim()).toBe(key);
    await page.keyboard.press('Escape');
    await button(question, 'Close anyway').click();
    await row(page, 'CI deploy').waitFor();
    expect(await placesOf(page, key)).toEqual([]);
  });

  test('reload, back and forward never show it again; the browser asks before it leaves one that is not stored', async () => {
    const { page } = await stage.open();
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.type());
      void question.accept();
    });
    const shown = await createKey(page, 'Shown while reloading');
    await page.reload();
    await row(page, 'Shown while reloading').waitFor();
    expect(await placesOf(page, shown)).toEqual([]);
    expect(asked).toEqual(['beforeunload']);
    const left = await createKey(page, 'Shown while leaving');
    await page.getByLabel('I have stored it').check();
    await page.goto(`${stage.service.url}/openapi.json`);
    expect(asked).toHaveLength(1);
    await page.goBack();
    await row(page, 'Shown while leaving').waitFor();
    expect(await placesOf(page, left)).toEqual([]);
    await page.goForward();
    await page.goBack();
    await row(page, 'Shown while leaving').waitFor();
    expect(await placesOf(page, left)).toEqual([]);
    expect(await revealDialog(page).count()).toBe(0);
  });

  test('going back to another tab leaves it where it is; a page that the browser freezes for “back” has no key in it', async () => {
    const { page } = await stage.open();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('tab', { name: 'Keys' }).click();
    const key = await createKey(page);
    await page.goBack();
    await page.getByRole('tabpanel', { name: 'Activity', includeHidden: true }).waitFor();
    expect((await shownKey(page).innerText()).trim()).toBe(key);
    await storeKey(page);
    await focusOn(heading(page));

    await page.getByRole('tab', { name: 'Keys' }).click();
    const frozen = await createKey(page, 'Another');
    await shownKey(page).focus();
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    expect(await placesOf(page, frozen)).toEqual([]);
    await page.getByText('The key is no longer shown: you left the page.').waitFor();
  });
});
