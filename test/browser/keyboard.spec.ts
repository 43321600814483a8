import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/callers/owners.js';
import { press, tabTo } from './support/keyboard.js';
import { button, focusOn, heading, keyLink, revealDialog, shownKey } from './support/screen.js';
import { Stage } from './support/stage.js';

/** As most people have it: the focus moves while dialogs come and go. */
const MOVING = { reducedMotion: 'no-preference' } as const;

describe('the screen without a mouse', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('lets a person sign in, create, copy and revoke a key, and sign out', async () => {
    const { page, owner } = await stage.open({ signedIn: false, options: MOVING });
    await tabTo(page, page.getByLabel('Email'));
    await page.keyboard.type(owner.email);
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');

    await press(page, button(page, 'Create your first API key'));
    await focusOn(page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('CI deploy');
    await press(page, button(page, 'Access: read everything you can, change'));
    await press(page, button(page, 'Expires in: for 90 days, change'));
    await tabTo(page, page.getByRole('radio', { name: 'Read-only' }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByRole('radio', { name: '90 days' }));
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, page.getByLabel('Your password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');

    const key = (await shownKey(page).innerText()).trim();
    await focusOn(button(page, 'Copy key'));
    await page.keyboard.press('Enter');
    await button(page, 'Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    await press(page, button(page, 'Done'));
    await revealDialog(page).waitFor({ state: 'detached' });
    await focusOn(keyLink(page, 'CI deploy'));
    expect((await owner.person.list()).items).toMatchObject([{ name: 'CI deploy', access: 'read-and-write' }]);

    await press(page, button(page, 'Actions for CI deploy'));
    const revoke = page.getByRole('menuitem', { name: 'Revoke…' });
    await focusOn(page.getByRole('menuitem', { name: 'Details' }));
    await page.keyboard.press('ArrowUp');
    await focusOn(revoke);
    await page.keyboard.press('Enter');
    await focusOn(page.getByLabel('Yes, revoke it permanently'));
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('“CI deploy” was revoked').waitFor();
    await focusOn(heading(page));
    expect((await stage.service.clients.validate(key)).denial?.reason).toBe('REASON_REVOKED');

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await focusOn(button(page, 'Sign out'));
    await page.keyboard.press('Enter');
    await button(page, 'Sign in').waitFor();
  });
});
