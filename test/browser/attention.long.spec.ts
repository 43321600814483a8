import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { PASSWORD } from '../support/callers/owners.js';
import { pressAll } from './support/keyboard.js';
import { putKeys, type KeyRow } from './support/rows.js';
import { wider } from './support/look.js';
import { button, dialog, focusOn, keyLink } from './support/screen.js';
import { Stage } from './support/stage.js';

const EXPIRED: KeyRow = {
  name: 'Old laptop',
  access: 'read-and-write',
  createdDaysAgo: 31.2,
  expiresInDays: -1.2,
  usedMinutesAgo: 1.3 * 1440,
  use: [{ daysAgo: 0, granted: 0, refused: 212 }],
};

/** Its owner ended it as leaked. */
const CHECK: KeyRow = {
  name: 'Shop',
  access: 'read-and-write',
  createdDaysAgo: 3,
  expiresInDays: 27,
  revokedDaysAgo: 0.2,
  revokedReason: 'leaked',
  usedMinutesAgo: 300,
};

const LEAKED: KeyRow = { ...CHECK, name: 'CI deploy', leak: { source: null, url: 'https://github.com/acme/log' } };

/** A rotation that nobody finished, whose buttons have the longest words. */
const UNFINISHED: readonly KeyRow[] = [
  { name: 'Backup', createdDaysAgo: 1, expiresInDays: 89, graceSeconds: 86_400 },
  { name: 'Backup', createdDaysAgo: 60, expiresInDays: 2.1 },
];

const section = (page: Page) => page.getByRole('region', { name: 'Needs attention' });

describe('what needs attention', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  async function openWith(keys: readonly KeyRow[], options = {}): Promise<Page> {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    const { page } = await stage.open({ owner, options });
    await page.getByRole('region', { name: /^(Needs attention|Handlungsbedarf)$/ }).waitFor();
    return page;
  }

  /** The form for a new key has the choices of the old one. */
  async function expectChoices(form: Locator, name: string): Promise<void> {
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    for (const word of ['Access: read and write everything you can, change', 'Expires in: for 30 days, change'])
      await button(form, word).waitFor();
  }

  test('has targets of 44 px on a phone', async () => {
    const page = await openWith([EXPIRED]);
    await page.setViewportSize({ width: 360, height: 740 });
    const handled = button(section(page), 'Mark handled: Old laptop');
    await handled.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await handled.boundingBox())!;
    const [left, top] = [x + width / 2, y + height / 2];
    const at = [-21.5, 21.5].flatMap((d) => [`${left + d}, ${top}`, `${left}, ${top + d}`]);
    const hit = `[${at.map((point) => `document.elementFromPoint(${point})`).join()}].map((found) => found.ariaLabel)`;
    expect(await page.evaluate(hit)).toEqual(at.map(() => 'Mark handled: Old laptop'));
  });

  test.each([
    ['en-US', 320],
    ['de-DE', 360],
  ])('fits into a phone, also with the longest buttons (%s)', async (locale, width) => {
    const page = await openWith([...UNFINISHED, LEAKED, CHECK, EXPIRED], { locale });
    expect(await page.getByRole('button', { name: /^(Mark handled|Abhaken)/ }).count()).toBe(4);
    expect(await wider(page, { width, height: 740 })).toEqual([]);
  });

  test.each([
    { ...EXPIRED, fix: 'Create again…: Old laptop', title: 'Create again', links: ['Tab'] },
    { ...LEAKED, fix: 'Replace…: CI deploy', title: 'Replace leaked “CI deploy”', links: ['Tab', 'Tab'] },
  ])(
    'is fixed by at most 16 presses and the password from the freshly loaded page: $name',
    async ({ fix, title, links, ...key }) => {
      const page = await openWith([{ name: 'Fine' }, key]);
      await button(section(page), fix).waitFor();
      // Sign out, light or dark, the tabs, "Create API key", then the links of the first key that needs attention, to its
      // details and to what it did, and what mends it.
      await pressAll(page, ['Tab', 'Tab', 'Tab', 'Tab', ...links, 'Tab']);
      await focusOn(button(section(page), fix));
      await page.keyboard.press('Enter');
      const form = dialog(page, title);
      await focusOn(form.getByLabel('Name', { exact: true }));
      await expectChoices(form, key.name);
      // The four words of the sentence, and the password.
      await pressAll(page, ['Tab', 'Tab', 'Tab', 'Tab', 'Tab']);
      await focusOn(page.getByLabel('Your password', { exact: true }));
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await focusOn(button(page, 'Copy key'));
      await page.keyboard.press('Enter');
      await focusOn(button(page, 'Copied'));
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect((await stage.service.clients.validate(copied)).outcome).toBe('grant');
      await page.keyboard.press('Escape');
      await focusOn(keyLink(page, key.name).first());
      await section(page).waitFor({ state: 'detached' });
    },
  );
});
