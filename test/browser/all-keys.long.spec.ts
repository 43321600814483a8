import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { DAY_MS } from '#domain/time.js';
import { eventually } from '../support/eventually.js';
import { PASSWORD } from '../support/callers/owners.js';
import { sql } from '../support/stores/sql.js';
import {
  expectKeys,
  find,
  newServiceAccount,
  openAllKeys,
  openDrawer,
  openFilters,
  searchField,
  startAdministration,
} from './support/all-keys.js';
import { endSessions, putKeys, type KeyRow } from './support/rows.js';
import { button, dialog, focusOn, row } from './support/screen.js';
import type { Stage } from './support/stage.js';
import { tracesOf } from './support/traces.js';

describe('all keys', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startAdministration();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  const ownerOf = async (...keys: readonly KeyRow[]) => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    return owner;
  };

  test('are found by the owner’s id and email, and each names its owner, also one without an email', async () => {
    const ada = await ownerOf(
      { name: 'CI deploy', access: 'read-and-write', usedMinutesAgo: 3.2 * 60 },
      { name: 'Backup' },
    );
    const bot = await newServiceAccount(stage, 'CI bot', ada);
    await putKeys(stage.service, bot, [{ name: 'Nightly', createdBy: ada.id }]);
    const { page, asked } = await openAllKeys(stage);
    await find(page, ada.id);
    await expectKeys(page, ['CI deploy', 'Backup']);
    await button(page, `Remove filter: Owner: ${ada.email}`).waitFor();
    expect(await searchField(page).inputValue()).toBe('');
    const cells = await row(page, 'CI deploy').getByRole('cell').allInnerTexts();
    expect(cells.map((text) => text.replace(/\s+/g, ' '))).toEqual([
      // The box that selects it.
      '',
      `Ada Lovelace ${ada.email}`,
      'Read and write',
      // The line of a key without requests.
      '',
      'Active',
      '3 hours ago',
      'in 3 months',
    ]);
    // Whoever leaves also knows what they made for others.
    await button(page, 'Show: Ada Lovelace also made 1 active key of a service account.').click();
    await expectKeys(page, ['CI deploy', 'Backup', 'Nightly']);
    await button(page, 'Remove filter: Made by: Ada Lovelace').waitFor();
    await find(page, bot.id);
    await expectKeys(page, ['Nightly']);
    expect(await row(page, 'Nightly').getByRole('cell').nth(1).innerText()).toMatch(
      /^CI bot\s+Service account\s+Made by Ada Lovelace$/,
    );
    await find(page, ` ${ada.email.toUpperCase()} `);
    await expectKeys(page, ['CI deploy', 'Backup']);
    await find(page, 'Ada Lovelace');
    await page.getByText('No account with this email or ID. Enter a whole email').waitFor();
    await expectKeys(page, ['CI deploy', 'Backup']);
    await button(page, `Remove filter: Owner: ${ada.email}`).click();
    await row(page, 'Nightly').waitFor();
    await page.goBack();
    await expectKeys(page, ['CI deploy', 'Backup']);
    // Each is on the audit trail, so there is one for each search and each list.
    expect(asked().filter((call) => call.startsWith('/accounts'))).toHaveLength(4);
  });

  test('are found by a prefix, and of a pasted key the page sends, shows and keeps only 16 characters', async () => {
    const owner = await stage.newOwner();
    const { fullKey, apiKey } = await owner.person.newKey({ name: 'Pasted' });
    const sent = fullKey.slice(0, 16);
    const { page, asked } = await openAllKeys(stage);
    const expectCut = async () => {
      await expectKeys(page, ['Pasted']);
      await button(page, `Remove filter: Prefix: ${sent}`).waitFor();
      expect(new URL(page.url()).searchParams.get('prefix')).toBe(sent);
      expect(asked().at(-1)).toBe(`/api-keys?prefix=${sent}`);
      const traces = Object.values(await tracesOf(page));
      expect(traces.filter((trace) => trace.includes(fullKey.slice(0, 17)))).toEqual([]);
      await button(page, `Remove filter: Prefix: ${sent}`).click();
      await page.waitForURL((url) => !url.searchParams.has('prefix'));
    };
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(`LATCHKEY_API_KEY=${fullKey}\n`)})`);
    await searchField(page).focus();
    const before = asked().length;
    await page.keyboard.press('ControlOrMeta+v');
    await eventually(async () => (await searchField(page).inputValue()) === sent);
    // Nothing is searched, and so recorded, before Enter.
    expect(asked()).toHaveLength(before);
    await page.keyboard.press('Enter');
    await expectCut();
    await find(page, fullKey);
    await expectCut();
    expect(asked().filter((call) => !call.startsWith('/api-keys'))).toEqual([]);
    expect(asked().filter((call) => call.includes(fullKey.slice(0, 17)))).toEqual([]);

    await find(page, apiKey.prefix);
    await expectKeys(page, ['Pasted']);
    await find(page, 'lk_ffffffffffff');
    await page.getByText('No key fits.').waitFor();
    await button(page, 'Clear search and filters').click();
    await row(page, 'Pasted').waitFor();
  });

  test('come page by page, and nothing is loaded, and so recorded, that nobody asked for', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `Key ${n}`);
    const owner = await ownerOf(...names.map((name, n) => ({ name, createdDaysAgo: n + 1 })));
    const { page, asked } = await openAllKeys(stage, `owner=${owner.id}`);
    await expectKeys(page, names.slice(0, 50));
    await page.getByText('may also have made').waitFor();
    const before = asked().length;
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await button(page, 'Show more').click();
    await expectKeys(page, names);
    expect(asked().slice(before)).toEqual([expect.stringMatching(/^\/api-keys\?owner=[^&]+&cursor=[^&]+$/)]);
    expect(await button(page, 'Show more').count()).toBe(0);
    const drawer = await openDrawer(page, 'Key 59');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await focusOn(row(page, 'Key 59').getByRole('link'));
    expect(asked().slice(before + 1)).toEqual([expect.stringMatching(/^\/api-keys\/[0-9a-f-]{36}$/)]);
    const [seen] = await sql<{ lists: number; drawers: number }>(
      stage.service.databaseUrl,
      `SELECT count(*) FILTER (WHERE key_id IS NULL)::int AS lists, count(key_id)::int AS drawers
       FROM audit_events WHERE type = 'admin.viewed' AND owner_id = $1`,
      [owner.id],
    );
    expect(seen).toEqual({ lists: 2, drawers: 1 });
  });

  test('show in a drawer whose key it is, its limits, its use with why it was refused, and its history', async () => {
    const owner = await stage.newOwner();
    const limits = { permissions: ['systems:read'], allowedNetworks: ['203.0.113.0/24'] };
    const { apiKey, fullKey } = await owner.person.newKey({ name: 'CI deploy', ...limits, note: 'Deploys the shop' });
    await stage.service.clients.validate(fullKey, { clientIp: '203.0.113.8', permission: 'reports:read' });
    await stage.service.clients.validate(fullKey, { clientIp: '203.0.113.7' });
    const { page } = await openAllKeys(stage, `owner=${owner.id}`);
    await eventually(async () => {
      await page.reload();
      await row(page, 'CI deploy').waitFor();
      return (await row(page, 'CI deploy').getByText('Never used').count()) === 0;
    });
    const drawer = await openDrawer(page, 'CI deploy');
    for (const text of ['Ada Lovelace', owner.email, owner.id, 'Deploys the shop', '203.0.113.7']) {
      await drawer.getByText(text, { exact: true }).first().waitFor();
    }
    await drawer.getByText('it lacks the permission reports:read').waitFor();
    await drawer.getByRole('list', { name: 'History' }).getByText('Key CI deploy was created').waitFor();
    await drawer.getByRole('listitem').getByText('Active', { exact: true }).waitFor();
    const facts = await drawer.getByRole('definition').allInnerTexts();
    expect(facts).toEqual(expect.arrayContaining(['Read systems systems:read', '203.0.113.0/24', apiKey.prefix]));
    await drawer.getByRole('slider', { name: 'Requests per day, last 90 days' }).waitFor();
    // It is not the administrator's own key.
    expect(await drawer.getByRole('button', { name: /Rotate|leaked|Edit/ }).count()).toBe(0);
    await page.reload();
    await dialog(page, 'CI deploy').waitFor();
    await button(dialog(page, 'CI deploy'), 'Show all keys of this owner').click();
    await dialog(page, 'CI deploy').waitFor({ state: 'detached' });
    await expectKeys(page, ['CI deploy']);
  });

  test('wait for a new sign-in when the session has ended, and say that a key does not exist', async () => {
    const owner = await ownerOf({ name: 'CI deploy' });
    const { page, administrator } = await openAllKeys(stage, `owner=${owner.id}`);
    await expectKeys(page, ['CI deploy']);
    await endSessions(stage.service, administrator);
    await row(page, 'CI deploy').getByRole('link').click();
    const again = dialog(page, 'Sign in again');
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await button(dialog(page, 'CI deploy'), 'Copy ID').waitFor();
    await page.goto(`${stage.service.url}/settings/api-keys?tab=all-keys&key=00000000-0000-4000-8000-000000000000`);
    await dialog(page, 'API key').getByText('There is no key with this ID.').waitFor();
  });

  describe('next to the audit view', () => {
    const openAudit = (search = '') => openAllKeys(stage, search, { tab: 'audit' });
    /** Waits until the list has so many events. */
    const expectEvents = async (page: Page, count: number) => {
      const shown = count === 1 ? '1 event shown' : `${count} events shown`;
      await page.getByRole('status').getByText(shown, { exact: true }).waitFor({ state: 'attached' });
      return page.getByRole('rowheader').allInnerTexts();
    };
    const who = (page: Page) => page.getByLabel('Who did it, or ID of a key', { exact: true });
    const search = async (field: Locator, text: string) => {
      await field.fill(text);
      await field.press('Enter');
    };

    test('say who did and viewed what, by actor, account, key, type and day, and record each look', async () => {
      const owner = await ownerOf();
      const { apiKey } = await owner.person.newKey({ name: 'CI deploy' });
      await owner.person.call('PATCH', `/v1/api-keys/${apiKey.id}`, { name: 'Shop deploy' });
      const { page, administrator, asked } = await openAudit();
      await row(page, 'Shop deploy').first().waitFor();
      const revoke = { note: 'Found in a public log', password: PASSWORD };
      await administrator.person.call('POST', `/v1/admin/api-keys/${apiKey.id}/revoke`, revoke);
      const before = asked().length;
      await search(who(page), apiKey.id.toUpperCase());
      expect(await expectEvents(page, 3)).toEqual([
        'Key Shop deploy was revoked by an administrator\nNote: Found in a public log',
        'Key Shop deploy was renamed (before: CI deploy)',
        'Key Shop deploy was created',
      ]);
      const cells = await row(page, 'was revoked').getByRole('cell').allInnerTexts();
      expect(cells[0]).toMatch(new RegExp(`^Grace Hopper\\s+${administrator.id}127.0.0.1`));
      expect(cells[1]).toMatch(new RegExp(`^Ada Lovelace\\s+${owner.id}$`));
      await search(who(page), administrator.email);
      // The search before is recorded too.
      expect(await expectEvents(page, 2)).toEqual([
        expect.stringContaining('was viewed by an administrator'),
        expect.stringContaining('was revoked by an administrator'),
      ]);
      await button(page, `Remove filter: Who did it: ${administrator.id}`).click();
      await expectEvents(page, 5);
      const fields = await openFilters(page);
      await fields.getByLabel('Type', { exact: true }).selectOption('Key created');
      expect(await expectEvents(page, 1)).toEqual(['Key Shop deploy was created']);
      await page.goBack();
      await expectEvents(page, 7);
      await button(page, `Remove filter: Key: ${apiKey.id}`).click();
      await openFilters(page);
      await search(fields.getByLabel('Account affected', { exact: true }), owner.id);
      await page.waitForURL((url) => url.searchParams.get('owner') === owner.id);
      await search(who(page), 'service:dev-accounts');
      expect(await expectEvents(page, 1)).toEqual(['Account created']);
      await fields.getByLabel('Type', { exact: true }).selectOption('Viewed by an administrator');
      await expectEvents(page, 0);
      await search(who(page), administrator.id);
      await button(page, `Remove filter: Who did it: ${administrator.id}`).waitFor();
      const [newest] = await expectEvents(page, 8);
      expect(newest).toContain(`Who did it: service:dev-accounts · Account affected: ${owner.id}`);
      const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
      await search(fields.getByLabel('From', { exact: true }), dayIn(-1));
      await expectEvents(page, 9);
      // After a pause.
      await fields.getByLabel('Until', { exact: true }).fill(dayIn(1));
      await expectEvents(page, 10);
      await page.reload();
      await expectEvents(page, 11);
      await openFilters(page);
      await search(fields.getByLabel('Until', { exact: true }), '2020-01-01');
      await page.getByText('No event fits.').waitFor();
      await page.keyboard.press('Escape');
      await button(page, 'Clear search and filters').click();
      await row(page, 'Shop deploy').first().waitFor();
      const views = "SELECT FROM audit_events WHERE type = 'admin.viewed' AND actor_id = $1";
      const recorded = await sql(stage.service.databaseUrl, views, [administrator.id]);
      // The list of all keys is not loaded for it.
      expect(asked().filter((call) => call.startsWith('/api-keys'))).toEqual([]);
      expect(recorded).toHaveLength(asked().length);
      expect(asked().length).toBeGreaterThan(before);
    });

    test('open the key of an event, lead from a key to its events, and work by the keyboard alone', async () => {
      const owner = await ownerOf();
      const { apiKey } = await owner.person.newKey({ name: 'CI deploy' });
      const { page, asked } = await openAudit(`of=${apiKey.id}`);
      await expectEvents(page, 1);
      await row(page, 'was created').getByRole('link').focus();
      await page.keyboard.press('Enter');
      const drawer = dialog(page, 'CI deploy');
      await button(drawer, 'Copy ID').waitFor();
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await focusOn(row(page, 'was created').getByRole('link'));
      expect(asked().slice(-2)).toEqual([`/audit-events?key=${apiKey.id}`, `/api-keys/${apiKey.id}`]);
      await search(who(page), 'not an id');
      await page.getByText('No account with this email or ID').waitFor();
      await page.goto(`${stage.service.url}/settings/api-keys?tab=all-keys&owner=${owner.id}`);
      await openDrawer(page, 'CI deploy');
      await button(drawer, 'Show all events of this key').click();
      await drawer.waitFor({ state: 'detached' });
      await expectEvents(page, 4);
      expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Audit');
    });
  });
});
