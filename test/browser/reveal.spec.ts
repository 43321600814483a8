import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { button, createKey, dialog, revealDialog, row, storeKey } from './support/screen.js';
import { Stage } from './support/stage.js';
import { placesOf, tracesOf } from './support/traces.js';

describe('a new key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('is shown in full, is granted by the service, and is nowhere on the page after closing', async () => {
    const { page } = await stage.open();
    const key = await createKey(page);
    expect(key).toMatch(/^lk_[0-9a-f]{24}\.[0-9a-f]{64}$/);
    expect((await stage.service.clients.validate(key)).outcome).toBe('grant');
    await dialog(page, 'Your new key “CI deploy”').getByText('You’ll see this key only once. Copy it now.').waitFor();
    await page.getByText(/^Keep it in a password manager.* Never in source control/).waitFor();
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

  test('is not shown again after reload, back or forward, and the browser asks before leaving one that was not copied', async () => {
    const { page } = await stage.open();
    const dialogs: string[] = [];
    page.on('dialog', (question) => {
      dialogs.push(question.type());
      void question.accept();
    });
    const shown = await createKey(page, 'Shown while reloading');
    await page.reload();
    await row(page, 'Shown while reloading').waitFor();
    expect(await placesOf(page, shown)).toEqual([]);
    expect(dialogs).toEqual(['beforeunload']);
    const left = await createKey(page, 'Shown while leaving');
    await button(page, 'Copy key').click();
    await button(page, 'Copied').waitFor();
    await page.goto(`${stage.service.url}/openapi.json`);
    expect(dialogs).toHaveLength(1);
    await page.goBack();
    await row(page, 'Shown while leaving').waitFor();
    expect(await placesOf(page, left)).toEqual([]);
    await page.goForward();
    await page.goBack();
    await row(page, 'Shown while leaving').waitFor();
    expect(await placesOf(page, left)).toEqual([]);
    expect(await revealDialog(page).count()).toBe(0);
  });
});
