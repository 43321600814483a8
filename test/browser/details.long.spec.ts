import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { intercept, isReadingOne } from './support/network.js';
import { putEvents, putHistory, putKeys, type KeyRow } from './support/rows.js';
import { button, chooseMore, dialog, focusOn, row, showDetails } from './support/screen.js';
import { Stage } from './support/stage.js';

const SHOWN = '7c1f4e0a9b2d';
const DAY_MS = 86_400_000;

const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const dayOf = (date: Date) => date.toISOString().slice(0, 10);
const written = (date: Date) => date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** What a screen reader says after the name. */
const described = (element: Locator) =>
  element.evaluate((node) => {
    const ids = node.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((id: string) => node.ownerDocument.getElementById(id)?.textContent).join(' ');
  });

describe('the details of a key', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  async function openWith(...keys: readonly KeyRow[]) {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    return owner;
  }

  const requests = (page: Page) => page.getByRole('slider', { name: 'Requests per day, last 90 days' });

  test('show usage, addresses, history and facts, and lead to the actions and to the activity', async () => {
    const owner = await stage.newOwner();
    const { apiKey } = await owner.person.newKey({ name: 'CI deploy' });
    const { page } = await stage.open({ owner });
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => (refuse = resolve));
    const repair = await intercept(page, isReadingOne, async (route) => {
      await refused;
      await route.fulfill({ status: 429 });
    });
    const details = await showDetails(page, 'CI deploy');
    await details.getByRole('status').getByText('Loading…').waitFor({ state: 'attached' });
    const chart = details.getByRole('status').first();
    expect(await chart.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    refuse();
    await details.getByRole('alert').getByText('Usage could not be loaded').waitFor();
    await repair();
    await button(details, 'Try again').click();
    await details.getByText('Not used yet').waitFor();
    expect(await details.getByRole('alert').count()).toBe(0);
    await details.getByText(/^Reads the key from your .env file/).waitFor();
    await details.getByRole('list', { name: 'History' }).getByText('Key CI deploy was created').waitFor();
    const exact = /\d{4} at \d+:\d\d:\d\d [AP]M UTC$/;
    await button(details, 'Copy ID').waitFor();
    expect(await details.getByRole('definition').allInnerTexts()).toEqual([
      expect.stringMatching(exact),
      expect.stringMatching(exact),
      'never',
      apiKey.prefix,
    ]);
    expect(await details.getByText(apiKey.id).count()).toBe(0);
    await button(details, 'Copy ID').click();
    await details.getByRole('status').getByText('Copied to the clipboard').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(apiKey.id);
    await chooseMore(details, 'Revoke…');
    await button(dialog(page, 'Revoke “CI deploy”?'), 'Cancel').click();
    await focusOn(row(page, 'CI deploy').getByRole('rowheader').locator('a, button').first());
    await page.keyboard.press('Enter');
    await chooseMore(details, 'It leaked…');
    await button(dialog(page, 'Replace leaked “CI deploy”'), 'Cancel').click();
    await focusOn(row(page, 'CI deploy').getByRole('rowheader').locator('a, button').first());
    await page.keyboard.press('Enter');
    await details.getByText('View all activity').click();
    await page.getByRole('list', { name: 'Activity' }).getByText('Key CI deploy was created').waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe(apiKey.id);
  });

  test('show the requests of each day, by the keyboard, to a screen reader and by the mouse', async () => {
    const owner = await openWith({ name: 'CI deploy', shown: SHOWN, usedMinutesAgo: 5.1 });
    const [before, yesterday] = [dayAgo(3), dayAgo(1)];
    const days = [
      { day: dayOf(before), granted: 3600, refused: 0 },
      { day: dayOf(yesterday), granted: 1200, refused: 7 },
    ];
    await putHistory(stage.service, owner, SHOWN, { days, uses: [] });
    const { page } = await stage.open({ owner });
    const details = await showDetails(page, 'CI deploy');
    await details.getByText('4,800 accepted', { exact: true }).waitFor();
    await details.getByText('7 rejected', { exact: true }).waitFor();
    // The round numbers of the axis.
    for (const line of ['1K', '2K', '3K', '4K']) await details.getByText(line, { exact: true }).waitFor();

    const slider = requests(page);
    expect(await described(slider)).toBe('4,800 accepted7 rejected');
    const today = dayAgo(0);
    const expectDay = async (day: Date, granted: string, refused: string) => {
      const text = `${written(day)}: ${granted} accepted, ${refused} rejected`;
      await details.getByText(text, { exact: true }).waitFor();
      expect(await slider.getAttribute('aria-valuetext')).toBe(text);
    };
    await expectDay(today, '0', '0');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await expectDay(yesterday, '1,200', '7');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowDown');
    await expectDay(before, '3,600', '0');
    await page.keyboard.press('ArrowRight');
    await expectDay(dayAgo(2), '0', '0');
    await page.keyboard.press('Home');
    await expectDay(dayAgo(89), '0', '0');
    await page.keyboard.press('End');
    await expectDay(today, '0', '0');

    const { x, y, width, height } = (await slider.boundingBox())!;
    const pointAt = (day: number) => page.mouse.move(x + ((89 - day + 0.5) / 90) * width, y + height / 2);
    await pointAt(3);
    await expectDay(before, '3,600', '0');
    await pointAt(1);
    await expectDay(yesterday, '1,200', '7');
    await page.mouse.down();
    await pointAt(3);
    await expectDay(before, '3,600', '0');
    await page.mouse.up();
  });

  test('show where a key is used from, and mark what is new for an older key', async () => {
    const owner = await openWith(
      { name: 'CI deploy', shown: SHOWN, createdDaysAgo: 60, usedMinutesAgo: 2.1 * 60 },
      { name: 'Young', shown: 'e02b95d1c47a', createdDaysAgo: 3, usedMinutesAgo: 2.1 * 60 },
    );
    const uses = [
      { clientIp: '203.0.113.7', service: 'systems-api', firstHoursAgo: 30 * 24, lastMinutesAgo: 2.1 },
      { clientIp: '2001:db8::1', firstHoursAgo: 50, lastMinutesAgo: 90 },
    ];
    await putHistory(stage.service, owner, SHOWN, { days: [], uses });
    await putHistory(stage.service, owner, 'e02b95d1c47a', { days: [], uses: uses.slice(1) });
    const { page } = await stage.open({ owner });
    const seen = async (name: string) => {
      const details = await showDetails(page, name);
      const items = details.getByRole('list', { name: 'Addresses' }).getByRole('listitem');
      await items.first().waitFor();
      const texts = (await items.allInnerTexts()).map((text) => text.split(/\s*\n\s*/).filter(Boolean));
      await button(details, 'Close').click();
      await details.waitFor({ state: 'detached' });
      return texts;
    };
    const since = (hours: number) => `since ${written(dayAgo(hours / 24))}`;
    const another = ['last seen 1 hour ago', since(50), 'via a proxy'];
    expect(await seen('CI deploy')).toEqual([
      ['203.0.113.7', expect.stringMatching(/^last seen \d+ minutes ago$/), since(30 * 24), 'via systems-api'],
      ['2001:db8::1', 'New', ...another],
    ]);
    expect(await seen('Young')).toEqual([['2001:db8::1', ...another]]);
  });

  test('say why the last request of each address was rejected', async () => {
    const owner = await openWith({ name: 'CI deploy', shown: SHOWN, createdDaysAgo: 60, usedMinutesAgo: 300 });
    const denied = (minutesAgo: number, reason: string, permission?: string) => ({ minutesAgo, reason, permission });
    const uses = [
      { clientIp: '203.0.113.7', denied: denied(2.1, 'missing-permission', 'reports:read') },
      { clientIp: '203.0.113.8', lastMinutesAgo: 300, denied: denied(60.1, 'rate-limited') },
      { clientIp: '203.0.113.9', denied: { ...denied(120.1, 'read-only-key'), operation: 'write' } },
      { clientIp: '203.0.113.10', denied: denied(180.1, 'of-a-newer-service') },
    ].map((use) => ({ ...use, service: 'systems-api', firstHoursAgo: 48 }));
    const days = [{ day: dayOf(dayAgo(0)), granted: 0, refused: 5 }];
    await putHistory(stage.service, owner, SHOWN, { days, uses });
    const { page } = await stage.open({ owner });
    const details = await showDetails(page, 'CI deploy');
    await details.getByText('5 rejected', { exact: true }).waitFor();
    await details.getByText('Why the last one was rejected is listed below, by address.').waitFor();
    const items = details.getByRole('list', { name: 'Addresses' }).getByRole('listitem');
    const texts = (await items.allInnerTexts()).map((text) => text.split(/\s*\n\s*/).filter(Boolean));
    const [since, via] = [`since ${written(dayAgo(2))}`, 'via systems-api'];
    expect(texts).toEqual([
      [
        '203.0.113.7',
        'New',
        since,
        via,
        expect.stringMatching(/^rejected \d+ minutes ago:$/),
        'it lacks the permission reports:read',
      ],
      ['203.0.113.8', 'New', 'last seen 5 hours ago', since, via, 'rejected 1 hour ago:', 'too many requests'],
      [...['203.0.113.9', 'New', since, via, 'rejected 2 hours ago:'], 'it is read-only, asked for write'],
      ['203.0.113.10', 'New', since, via, 'rejected 3 hours ago:', 'not allowed'],
    ]);
    await details.getByRole('link', { name: 'View all activity' }).click();
    await page.getByText('Rejected', { exact: true }).click();
    await page.getByText('No activity of this type for this key.').waitFor();
  });

  test('say that no address is known where requests were rejected without one', async () => {
    const owner = await openWith({ name: 'CI deploy', shown: SHOWN });
    await putHistory(stage.service, owner, SHOWN, {
      days: [{ day: dayOf(dayAgo(0)), granted: 0, refused: 1 }],
      uses: [],
    });
    const { page } = await stage.open({ owner });
    const details = await showDetails(page, 'CI deploy');
    await details.getByText('No request from a known address yet.').waitFor();
  });

  test('say why an expired key ended and how many requests it cost, and offer one like it', async () => {
    const owner = await openWith(
      { name: 'Current' },
      { name: 'Old laptop', shown: SHOWN, createdDaysAgo: 130, expiresInDays: -3, usedMinutesAgo: 3 * 1440 },
    );
    const days = [
      { day: dayOf(dayAgo(4)), granted: 5, refused: 9 },
      { day: dayOf(dayAgo(2)), granted: 0, refused: 1200 },
      { day: dayOf(dayAgo(1)), granted: 0, refused: 12 },
    ];
    await putHistory(stage.service, owner, SHOWN, { days, uses: [] });
    const refused = { type: 'authentication.failed', keyName: 'Old laptop', reason: 'expired' };
    await putEvents(stage.service, owner, [
      { type: 'api_key.expired', keyName: 'Old laptop', minutesAgo: 3 * 1440 },
      ...[30, 20, 10.2].map((minutesAgo) => ({ ...refused, minutesAgo, clientIp: '198.51.100.24', count: 4 })),
    ]);
    const [, { id }] = (await owner.person.list()).items as [unknown, { id: string }];
    const { page } = await stage.open({ owner });
    await page.goto(`${stage.service.url}/settings/api-keys?key=${id}`);
    const details = dialog(page, 'Old laptop');
    const note = details.getByRole('note');
    await note.getByText('This key expired 3 days ago. 1,212 requests rejected since.').waitFor();
    const events = details.getByRole('list', { name: 'History' }).getByRole('listitem');
    await events.nth(1).waitFor();
    expect((await events.allInnerTexts()).map((text) => text.split(/\s*\n\s*/).slice(0, 4))).toEqual([
      [
        'Old laptop rejected: expired 12 times',
        ...[/^1\d minutes ago$/, /^first 3\d minutes ago$/].map((time) => expect.stringMatching(time)),
        expect.any(String),
      ],
      ['Key Old laptop expired', '3 days ago', 'Automatic'],
    ]);
    expect(await button(details, 'More actions').count()).toBe(0);
    await button(note, 'Create again…').click();
    await details.waitFor({ state: 'detached' });
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Old laptop');
  });

  test('name and note can be changed in place, and the list, the history and another tab’s note are in step', async () => {
    const owner = await stage.newOwner();
    const { apiKey } = await owner.person.newKey({ name: 'Deploy' });
    const { page } = await stage.open({ owner });
    const details = await showDetails(page, 'Deploy');
    const edit = button(details, 'Edit name and note');
    const name = details.getByLabel('Name', { exact: true });
    const note = details.getByLabel('Note', { exact: true });
    await edit.click();
    await focusOn(name);
    await name.fill('Nobody sees this');
    await page.keyboard.press('Escape');
    await focusOn(edit);
    expect([await name.count(), await details.count()]).toEqual([0, 1]);

    await edit.click();
    expect(await name.inputValue()).toBe('Deploy');
    await name.fill('  ');
    await note.fill('n'.repeat(201));
    await page.keyboard.press('Enter');
    await focusOn(name);
    expect([await described(name), await described(note)]).toEqual([
      'Give the key a name',
      expect.stringContaining('at most 200 characters'),
    ]);
    await name.fill('n'.repeat(65));
    await button(details, 'Save').click();
    await details.getByText('At most 64 characters').waitFor();
    // Only the service knows this rule.
    await name.fill('CI deploy');
    await note.fill('lk_' + '0'.repeat(24) + '.' + '0'.repeat(64));
    await button(details, 'Save').click();
    await details.getByText('This must not contain an API key').waitFor();
    await focusOn(note);

    // In another tab.
    await page.request.patch(`${stage.service.url}/v1/api-keys/${apiKey.id}`, { data: { note: 'Runs at night' } });
    await note.fill('');
    await page.keyboard.press('Enter');
    await dialog(page, 'CI deploy').getByRole('list').getByText('Key CI deploy was renamed (before: Deploy)').waitFor();
    await focusOn(button(dialog(page, 'CI deploy'), 'Edit name and note'));
    await dialog(page, 'CI deploy').getByText('Runs at night').waitFor();
    expect((await owner.person.list()).items).toMatchObject([{ name: 'CI deploy', note: 'Runs at night' }]);
    await page.keyboard.press('Escape');
    await row(page, 'CI deploy').waitFor();
    await focusOn(row(page, 'CI deploy').getByRole('rowheader').locator('a, button').first());
  });

  test('a change of the name that does not arrive is kept in its field and can be sent again', async () => {
    const owner = await openWith({ name: 'Deploy' });
    const { page } = await stage.open({ owner });
    const details = await showDetails(page, 'Deploy');
    await button(details, 'Edit name and note').click();
    await details.getByLabel('Name', { exact: true }).fill('CI deploy');
    const repair = await intercept(
      page,
      (request) => request.method() === 'PATCH',
      (route) => route.abort(),
    );
    await button(details, 'Save').click();
    await details.getByRole('alert').waitFor();
    await repair();
    expect(await details.getByLabel('Name', { exact: true }).inputValue()).toBe('CI deploy');
    await button(details, 'Save').click();
    await dialog(page, 'CI deploy').waitFor();
  });
});
