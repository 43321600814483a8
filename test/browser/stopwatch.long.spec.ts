import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { ADMIN_PERMISSION, startAdministration } from './support/all-keys.js';
import { putKeys } from './support/rows.js';
import { button, dialog, shownKey } from './support/screen.js';
import type { Stage } from './support/stage.js';

/** 40 words of five letters a minute. */
const MS_A_LETTER = 300;
const PIXELS_A_SECOND = 600;

/** A person with a mouse and a keyboard. Their time is reckoned from what they do, so it does not depend on the machine. */
class Person {
  letters = 0;
  clicks = 0;
  private pixels = 0;
  private at = { x: 640, y: 400 };

  constructor(private readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    await target.waitFor();
    const { x, y, width, height } = (await target.boundingBox())!;
    // Nothing is scrolled for the person.
    expect(y >= 0 && y + height <= 800).toBe(true);
    const to = { x: x + width / 2, y: y + height / 2 };
    this.pixels += Math.hypot(to.x - this.at.x, to.y - this.at.y);
    this.at = to;
    this.clicks += 1;
    await this.page.mouse.click(to.x, to.y);
  }

  async type(text: string): Promise<void> {
    this.letters += text.length;
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.letters += 1;
    await this.page.keyboard.press(key);
  }

  /** Prints what the way took. */
  report(way: string): void {
    const seconds = (this.letters * MS_A_LETTER) / 1000 + this.pixels / PIXELS_A_SECOND;
    console.log(`${way}: ${this.letters} keystrokes, ${this.clicks} clicks, ${seconds.toFixed(1)} s, no scroll`);
  }
}

const WINDOW = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;

describe('a person with a mouse and a keyboard, without a scroll at 1280 × 800', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startAdministration();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('gets the first key', async () => {
    const { page, owner } = await stage.open({ options: WINDOW });
    const person = new Person(page);
    await person.click(button(page, 'Create your first API key'));
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    await person.type('CI deploy');
    await person.click(page.getByLabel('Your password', { exact: true }));
    await person.type(PASSWORD);
    await person.press('Enter');
    await shownKey(page).waitFor();
    await person.click(button(page, 'Copy key'));
    await button(page, 'Copied').waitFor();
    expect((await owner.person.list()).items).toMatchObject([{ name: 'CI deploy', access: 'read-only' }]);
    person.report('first key');
  });

  test('replaces a key that has expired', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [
      { name: 'Old laptop', createdDaysAgo: 31.2, expiresInDays: -1.2, usedMinutesAgo: 60 * 30 },
    ]);
    const { page } = await stage.open({ owner, options: WINDOW });
    const person = new Person(page);
    await person.click(page.getByRole('button', { name: 'Create again…: Old laptop' }));
    await dialog(page, 'Create again').waitFor();
    await person.click(page.getByLabel('Your password', { exact: true }));
    await person.type(PASSWORD);
    await person.press('Enter');
    await shownKey(page).waitFor();
    await person.click(button(page, 'Copy key'));
    await button(page, 'Copied').waitFor();
    person.report('a working key in place of an expired one');
  });

  test('ends the three keys of a person who left', async () => {
    const leaver = await newOwner(stage.service, { displayName: 'Alan Turing' });
    for (const name of ['one', 'two', 'three']) await leaver.person.newKey({ name });
    const administrator = await newOwner(stage.service, { permissions: [ADMIN_PERMISSION] });
    const { page } = await stage.open({ owner: administrator, options: WINDOW });
    const person = new Person(page);
    await person.click(page.getByRole('tab', { name: 'All keys' }));
    await person.click(page.getByPlaceholder('Owner’s email or ID, or key prefix'));
    await person.type(leaver.email);
    await person.press('Enter');
    for (const name of ['one', 'two', 'three'])
      await person.click(page.getByRole('checkbox', { name: `Select “${name}”` }));
    await person.click(button(page, 'Revoke 3 keys…'));
    const form = dialog(page, 'Revoke 3 keys?');
    await person.click(form.getByLabel('Your password', { exact: true }));
    await person.type(PASSWORD);
    await person.press('Enter');
    await page.getByRole('heading', { name: '3 of 3 have ended' }).waitFor({ state: 'attached' });
    const { items } = await leaver.person.list();
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked', 'revoked']);
    person.report('three keys of a person who left');
  });
});
