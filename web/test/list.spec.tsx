/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { fireEvent } from '@testing-library/react/pure';
import type { ApiKey } from '../src/api/types';
import { NoAnswer, Refusal, ScriptedApi } from './support/api';
import { anApiKey, aRevokedKey, DAY_MS, HOUR_MS, iso, MINUTE_MS } from './support/keys';
import {
  button,
  chooseAction,
  dialog,
  focusOn,
  isGone,
  keyNames,
  openPanel,
  openTerms,
  press,
  row,
  screen,
  type,
  user,
  waitFor,
  within,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

const several = <T,>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const showEnded = () => press(/^Ended \(\d+\+?\)$/);
const region = async (name = 'Needs attention') => within(await screen.findByRole('region', { name }));

describe('the list of keys', () => {
  test('explains without keys what a key is for', async () => {
    openPanel();
    await screen.findByRole('heading', { name: 'No API keys yet' });
    screen.getByText(/program call the API as you\. The key can only read, unless you choose more\.$/);
    // Two sentences, not a list of promises.
    expect(screen.queryAllByRole('listitem')).toEqual([]);
  });

  test('says that no new keys are allowed in place of the buttons for them, and lets a key be revoked', async () => {
    api.keys = [anApiKey({ name: 'Old' })];
    api.policy = { ...api.policy, newKeys: false };
    openPanel();
    await screen.findByText(/^No new API keys can be made here\. Existing ones keep working/);
    await press('Actions for Old');
    await screen.findByRole('menuitem', { name: 'Revoke…' });
    const items = screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
    expect(items.filter((item) => /rotate|leaked/i.test(item ?? ''))).toEqual([]);
    expect(screen.queryByRole('button', { name: 'Create API key' })).toBeNull();
  });

  test('shows the active keys, newest first, and the ended ones folded below, with how each ended', async () => {
    api.keys = [
      anApiKey({ name: 'Newer' }),
      anApiKey({ name: 'Older', note: 'In the old data centre', prefix: 'lk_41d8a6f09c3e', access: 'read-and-write' }),
      anApiKey({ name: 'Expired', status: 'expired', expiresAt: iso(-3 * DAY_MS) }),
      aRevokedKey({ name: 'Stopped' }),
      aRevokedKey({ name: 'By others', revokedReason: 'platform' }),
      aRevokedKey({ name: 'By nobody', revokedReason: null }),
    ];
    openPanel();
    const older = await row('Older');
    expect(keyNames()).toEqual(['Newer', 'Older']);
    screen.getByText('2 active keys, 3 more possible');
    for (const text of ['In the old data centre', /lk_41d8a6f09c3e/, 'Read and write', 'Never used'])
      older.getByText(text);
    older.getByRole('img', { name: 'No requests' });
    older.getByText('in 3 months');
    const ended = await button('Ended (4)');
    expect(ended.getAttribute('aria-expanded')).toBe('false');
    await user.click(ended);
    expect(keyNames()).toEqual(['Newer', 'Older', 'Expired', 'Stopped', 'By others', 'By nobody']);
    (await row('Expired')).getByText('Expired', { selector: 'span' });
    (await row('Stopped')).getByText('Revoked by you');
    (await row('By others')).getByText('Revoked by your platform');
    (await row('By nobody')).getByText('Revoked');
    expect(screen.queryByRole('searchbox')).toBeNull();
  });

  test('says where a leaked key was found, as a link only if the address is https', async () => {
    const leaked = { revokedReason: 'leaked' };
    api.keys = [
      aRevokedKey({ name: 'By https', ...leaked, leak: { source: 'GitHub', url: 'https://github.com/acme/log' } }),
      aRevokedKey({ name: 'By script', ...leaked, leak: { source: 'a finder', url: 'javascript:alert(1)' } }),
      aRevokedKey({ name: 'Unknown', ...leaked }),
    ];
    openPanel();
    await showEnded();
    const link = (await row('By https')).getByRole('link', { name: 'github.com (opens in a new tab)' });
    expect(['href', 'rel', 'target'].map((name) => link.getAttribute(name))).toEqual([
      'https://github.com/acme/log',
      'noopener noreferrer',
      '_blank',
    ]);
    (await row('By script')).getByText(/a finder/);
    expect((await row('By script')).getAllByRole('link')).toHaveLength(1);
    (await row('Unknown')).getByText('Revoked · leaked');
  });

  test('offers to replace a key that was reported as leaked, in its menu and its details too', async () => {
    api.keys = [aRevokedKey({ revokedReason: 'leaked', leak: { source: 'GitHub', url: null } })];
    openPanel();
    await showEnded();
    await chooseAction('CI deploy', 'Replace…');
    await dialog('Replace leaked “CI deploy”');
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    await user.click((await row('CI deploy')).getByRole('link', { name: 'CI deploy' }));
    await press('Replace…', await dialog('CI deploy'));
    await dialog('Replace leaked “CI deploy”');
  });

  test('describes each time exactly to a screen reader, and the drawing of the last 30 days as a sentence', async () => {
    const granted = several(30, (n) => (n === 20 ? 7000 : n === 26 ? 38 : 0));
    const refused = several(30, (n) => (n === 26 ? 204 : 0));
    api.keys = [anApiKey({ lastUsedAt: iso(-3.05 * HOUR_MS), recent: { granted, refused } })];
    openPanel();
    const used = (await row('CI deploy')).getByText('3 hours ago');
    expect(used.getAttribute('aria-description')).toMatch(/\d{4}/);
    (await row('CI deploy')).getByRole('img', { name: /^Last 30 days: 7,038 accepted, 204 rejected; last on / });
  });

  test.each([
    ['en', '204 rejected', /rejected$/],
    ['de', '204 abgelehnt', /abgelehnt$/],
  ] as const)(
    'says below the drawing what its red marks stand for, where it has any (%s)',
    async (language, words, any) => {
      const refused = several(30, (n) => (n === 26 ? 204 : 0));
      api.keys = [
        anApiKey({ name: 'Denied', recent: { granted: several(30, () => 1), refused } }),
        anApiKey({ name: 'Fine', recent: { granted: several(30, () => 1), refused: several(30, () => 0) } }),
      ];
      openPanel({ language });
      (await row('Denied')).getByText(words);
      expect((await row('Fine')).queryByText(any)).toBeNull();
    },
  );

  test('last use and expiry are in words, with a warning 7 days before the expiry', async () => {
    const old = { createdAt: iso(-60 * DAY_MS) };
    api.keys = [
      anApiKey({ ...old, name: 'Soon', expiresAt: iso(6.9 * DAY_MS), lastUsedAt: iso(-3.05 * HOUR_MS) }),
      anApiKey({ ...old, name: 'Later', expiresAt: iso(7.4 * DAY_MS) }),
      anApiKey({ name: 'Half a year', expiresAt: iso(184 * DAY_MS) }),
    ];
    openPanel();
    (await row('Soon')).getByText('3 hours ago');
    (await row('Later')).getByText('Never used');
    (await row('Half a year')).getByText('in 6 months');
    expect((await row('Soon')).getByText('in 7 days').closest('.soon')).not.toBeNull();
    expect((await row('Later')).getByText('in 7 days').closest('.soon')).toBeNull();
  });

  test('a key is active, and can be revoked, where the browser’s clock is 100 days ahead', async () => {
    api.aheadMs = -100 * DAY_MS;
    api.keys = [anApiKey({ expiresAt: iso(-70 * DAY_MS) })];
    openPanel();
    (await row('CI deploy')).getByText('in 30 days');
    await press('Actions for CI deploy');
    await screen.findByRole('menuitem', { name: 'Revoke…' });
  });

  test('has pages: those with active keys come by themselves, and a search covers all of them', async () => {
    const former = several(60, (n) => aRevokedKey({ name: `Key no. ${n}.` }));
    api.keys = [...former, anApiKey({ name: 'Oldest' })];
    api.always('listKeys', ({ query: { cursor = '0' } }) => {
      const end = Number(cursor) + 50;
      const items = api.keys.slice(Number(cursor), end);
      return { ...api.pageOf(api.keys), items, nextCursor: end < api.keys.length ? String(end) : null };
    });
    const { unmount } = openPanel();
    await row('Oldest');
    unmount();
    api.keys = former;
    openPanel();
    await showEnded();
    await waitFor(() => expect(keyNames()).toHaveLength(50));
    await press('Show more');
    await waitFor(() => expect(keyNames()).toHaveLength(60));
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    await type('Search by name, note or prefix', 'no. 57.');
    await waitFor(() => expect(keyNames()).toEqual(['Key no. 57.']));
  });

  test.each(['en', 'de'] as const)('counts ended keys that are not loaded yet (%s)', async (language) => {
    const keys = [...several(8, (n) => anApiKey({ name: `Job ${n}` })), ...several(60, () => aRevokedKey())];
    api.always('listKeys', ({ query: { cursor } }) => {
      const items = cursor === undefined ? keys.slice(0, 8) : keys.slice(8);
      return { ...api.pageOf(keys), items, nextCursor: cursor === undefined ? 'next' : null };
    });
    openPanel({ language });
    const [all, ended] = language === 'en' ? ['All 68', 'Ended 60'] : ['Alle 68', 'Beendet 60'];
    await press(ended!.replace(/60/, '(60)'));
    await waitFor(() => expect(keyNames()).toHaveLength(68));
    await screen.findByRole('option', { name: all! });
    screen.getByRole('option', { name: ended! });
  });

  test.each([
    ['en', ['Name', 'Last used', 'Expires', 'Last 30 days'], 'Ended'],
    ['de', ['Name', 'Zuletzt genutzt', 'Läuft ab', 'Letzte 30 Tage'], 'Beendet'],
  ] as const)(
    'can be sorted by headings from nine keys on, the ended ones too (%s)',
    async (language, headings, ended) => {
      const used = (count: number, hoursAgo: number) => ({
        lastUsedAt: iso(-hoursAgo * HOUR_MS),
        recent: { granted: [count], refused: [1] },
      });
      api.keys = [
        anApiKey({ name: 'Key 10', expiresAt: iso(80 * DAY_MS), ...used(5, 2) }),
        anApiKey({ name: 'Key 9', expiresAt: iso(20 * DAY_MS), ...used(7, 1) }),
        // Its successor was revoked after its first use.
        anApiKey({ name: 'alpha', expiresAt: iso(50 * DAY_MS), endsAt: iso(10 * DAY_MS) }),
        ...several(4, (n) => aRevokedKey({ name: `Old ${9 - n}`, revokedAt: iso(-(n + 5) * DAY_MS) })),
        aRevokedKey({ name: 'Just now', revokedAt: iso(-HOUR_MS) }),
        aRevokedKey({ name: 'Before' }),
      ];
      openPanel({ language });
      const orders = [
        ['alpha', 'Key 9', 'Key 10'],
        ['Key 9', 'Key 10', 'alpha'],
        ['alpha', 'Key 9', 'Key 10'],
        ['Key 9', 'Key 10', 'alpha'],
      ];
      for (const [at, heading] of headings.entries()) {
        await press(heading);
        await waitFor(() => expect(keyNames()).toEqual(orders[at]));
      }
      // The same again: newest first.
      await press(headings[3]);
      await waitFor(() => expect(keyNames()).toEqual(['Key 10', 'Key 9', 'alpha']));
      await press(headings[2]);
      await press(`${ended} (6)`);
      expect(keyNames().slice(3, 6)).toEqual(['Just now', 'Before', 'Old 9']);
    },
  );

  test('offers an ended key again', async () => {
    api.keys = [anApiKey(), aRevokedKey({ name: 'Former' })];
    openPanel();
    await showEnded();
    await press('Actions for Former');
    await screen.findByRole('menuitem', { name: 'Create again…' });
    const items = screen.getAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent)).toEqual(['Details', 'Create again…']);
  });

  test('has filters with counts from nine keys on, and a search by name, note and prefix', async () => {
    api.keys = [
      anApiKey({ createdAt: iso(-60 * DAY_MS), expiresAt: iso(3 * DAY_MS), prefix: 'lk_7c1f4e0a9b2d' }),
      anApiKey({ name: 'Backup', note: 'Nightly' }),
      ...several(7, (n) => aRevokedKey({ name: `Script ${n}` })),
    ];
    openPanel();
    const filter = await screen.findByLabelText<HTMLSelectElement>('Show keys');
    expect(filter.selectedOptions[0]!.text).toBe('Active 2');
    for (const [name, count] of [
      ['All 9', 9],
      ['Needs attention 1', 1],
      ['Ended 7', 7],
      ['Active 2', 2],
    ] as const) {
      await user.selectOptions(filter, name);
      await waitFor(() => expect(keyNames()).toHaveLength(count));
    }
    for (const [text, name] of [
      ['dePLOY', 'CI deploy'],
      ['nightly', 'Backup'],
      ['lk_7c1f4e0a9b2d0123', 'CI deploy'],
      ['script 3', 'Script 3'],
    ] as const) {
      await type('Search by name, note or prefix', text);
      await screen.findByText('1 key shown');
      expect(keyNames()).toEqual([name]);
    }
    await type('Search by name, note or prefix', 'nothing like it');
    await screen.findByText('No key has “nothing like it” in its name, note or prefix.');
    await press('Clear search');
    await row('Backup');
  });

  test('goes back once for a double click on what closes the details, and so does not leave the page', async () => {
    api.keys = [anApiKey()];
    openPanel();
    await user.click((await row('CI deploy')).getByRole('link'));
    const close = (await dialog('CI deploy')).getByRole('button', { name: 'Close' });
    const back = jest.spyOn(history, 'back').mockImplementation(() => {});
    close.click();
    // The browser is not there yet.
    close.click();
    expect(back).toHaveBeenCalledTimes(1);
    back.mockRestore();
    history.back();
    await isGone(() => screen.queryByRole('dialog'));
    await user.click((await row('CI deploy')).getByRole('link'));
    await dialog('CI deploy');
  });

  test('shows that a slow list is loading, then its rows', async () => {
    api.keys = [anApiKey()];
    const answer = api.hold('listKeys');
    openPanel();
    await screen.findByText('Loading…');
    expect(screen.queryByRole('table')).toBeNull();
    answer();
    await row('CI deploy');
    expect(screen.queryByText('Loading…')).toBeNull();
  });

  test('is loaded without a click once the browser is online again', async () => {
    api.keys = [anApiKey()];
    for (let n = 0; n < 3; n += 1) api.once('listKeys', new NoAnswer());
    openPanel();
    await screen.findByText('Your keys could not be loaded');
    for (const change of ['offline', 'online']) window.dispatchEvent(new Event(change));
    await row('CI deploy');
    await isGone(() => screen.queryByRole('alert'));
  });

  test('reports that it could not be loaded, and loads it on a retry', async () => {
    api.keys = [anApiKey()];
    for (let n = 0; n < 3; n += 1) api.once('listKeys', new NoAnswer());
    openPanel();
    const alert = within(await screen.findByRole('alert'));
    alert.getByText('Your keys could not be loaded');
    alert.getByText('The service can’t be reached. Try again in a moment.');
    await press('Try again');
    await row('CI deploy');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('what needs attention', () => {
  const idle = () =>
    anApiKey({ name: 'Status dashboard', lastUsedAt: iso(-100 * DAY_MS), idleEndsAt: iso(4.5 * DAY_MS) });

  test('is absent when nothing does', async () => {
    api.keys = [anApiKey()];
    openPanel();
    await row('CI deploy');
    expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull();
  });

  test.each([
    ['en', 'Needs attention', 'See what it uses: CI deploy', /may write, and only reads/],
    ['de', 'Handlungsbedarf', 'Nutzung ansehen: CI deploy', /darf schreiben und liest nur/],
  ] as const)('leads to what a key uses that may write and only reads: %s', async (language, title, fix, words) => {
    api.keys = [anApiKey({ couldNarrow: 'reading' })];
    openPanel({ language });
    const section = await region(title);
    section.getByText(words);
    await user.click(section.getByRole('button', { name: fix }));
    await screen.findByRole('dialog');
  });

  test.each([
    [4, 4],
    [5, 3],
  ])('of %i lines shows %i at first, because a button takes as much room as one line', async (count, shown) => {
    api.keys = several(count, (n) =>
      anApiKey({ name: `Soon ${n + 1}`, createdAt: iso(-60 * DAY_MS), expiresAt: iso((n + 1.1) * DAY_MS) }),
    );
    openPanel();
    expect((await region()).getAllByRole('listitem')).toHaveLength(shown);
  });

  test('shows all lines when asked to, and moves the focus to the first of the others', async () => {
    api.keys = several(5, (n) =>
      anApiKey({ name: `Soon ${n + 1}`, createdAt: iso(-60 * DAY_MS), expiresAt: iso((n + 1.1) * DAY_MS) }),
    );
    openPanel();
    const section = await region();
    await press('Show 2 more');
    expect(section.getAllByRole('listitem')).toHaveLength(5);
    const next = section.getByRole('button', { name: 'Rotate…: Soon 4' });
    await focusOn(() => next);
  });

  test('loses one line to a double click, whose second half may hit the next line', async () => {
    api.keys = several(2, (n) =>
      anApiKey({ name: `Soon ${n + 1}`, createdAt: iso(-60 * DAY_MS), expiresAt: iso((n + 1.1) * DAY_MS) }),
    );
    openPanel();
    const section = await region();
    fireEvent.click(section.getByRole('button', { name: 'Mark handled: Soon 1' }), { detail: 1 });
    fireEvent.click(section.getByRole('button', { name: 'Mark handled: Soon 2' }), { detail: 2 });
    await isGone(() => section.queryByRole('button', { name: 'Mark handled: Soon 1' }));
    expect(api.calls('markHandled')).toHaveLength(1);
  });

  test('counts all lines in its title, and marking one as handled is quieter than mending it', async () => {
    api.keys = several(5, (n) =>
      anApiKey({ name: `Soon ${n + 1}`, createdAt: iso(-60 * DAY_MS), expiresAt: iso((n + 1.1) * DAY_MS) }),
    );
    openPanel();
    const section = await region();
    section.getByRole('heading', { name: 'Needs attention 5' });
    const looksOf = (name: RegExp) => section.getAllByRole('button', { name }).map(({ dataset }) => dataset.variant);
    expect([...looksOf(/^Rotate/), ...looksOf(/^Mark handled/)]).toEqual([
      ...Array<string>(3).fill('default'),
      ...Array<string>(3).fill('subtle'),
    ]);
  });

  test.each([
    [
      'an expired key that was in use',
      {
        status: 'expired',
        expiresAt: iso(-1.5 * DAY_MS),
        createdAt: iso(-31.5 * DAY_MS),
        lastUsedAt: iso(-2 * DAY_MS),
      },
      /Old laptop expired (1 day ago|2 days ago)/,
      'Create again…: Old laptop',
      'Create again',
    ],
    [
      'a leaked key',
      {
        status: 'revoked',
        revokedAt: iso(-4.1 * HOUR_MS),
        revokedReason: 'leaked',
        createdAt: iso(-10 * DAY_MS),
        expiresAt: iso(20 * DAY_MS),
        lastUsedAt: iso(-5 * HOUR_MS),
        leak: { source: 'GitHub', url: 'https://github.com/acme/log' },
      },
      /Old laptop leaked on github\.com, revoked 4 hours ago/,
      'Replace…: Old laptop',
      'Replace leaked “Old laptop”',
    ],
  ] as const)(
    'says why a job broke, and offers a key with the same choices: %s',
    async (_, change, why, fix, title) => {
      api.keys = [anApiKey({ name: 'Fine' }), anApiKey({ name: 'Old laptop', access: 'read-and-write', ...change })];
      openPanel();
      const section = await region();
      expect(section.getByRole('listitem').textContent).toMatch(why);
      const opener = section.getByRole('button', { name: fix });
      await user.click(opener);
      const form = await dialog(title);
      await openTerms();
      expect(form.getByLabelText<HTMLInputElement>('Name').value).toBe('Old laptop');
      expect(form.getByRole<HTMLInputElement>('radio', { name: 'Read and write' }).checked).toBe(true);
      expect(form.getByRole<HTMLInputElement>('radio', { name: '30 days' }).checked).toBe(true);
      await user.keyboard('{Escape}');
      await isGone(() => screen.queryByRole('dialog'));
      await focusOn(() => opener);
    },
  );

  const leaked = (given: Partial<ApiKey> = {}) =>
    anApiKey({
      name: 'Shop',
      status: 'revoked',
      revokedAt: iso(-10 * DAY_MS),
      revokedReason: 'leaked',
      createdAt: iso(-100 * DAY_MS),
      lastUsedAt: iso(-11 * DAY_MS),
      leak: { source: null, url: 'https://github.com/acme/log' },
      ...given,
    });
  const use = (clientIp: string, firstDay: string, lastDay: string) => ({
    clientIp,
    service: 'api',
    firstAt: `${firstDay}T08:00:00.000Z`,
    lastAt: `${lastDay}T08:00:00.000Z`,
  });

  test.each([
    [
      'en',
      'Needs attention',
      {},
      (day: string) =>
        `In its last 7 days: 1,207 requests accepted, from 2 addresses; 203.0.113.7 was first used on ${day} · See its usage`,
      'See its usage: Shop',
    ],
    [
      'de',
      'Gut zu wissen',
      { leak: null },
      (day: string) =>
        `In seinen letzten 7 Tagen: 1.207 Anfragen akzeptiert, von 2 Adressen; 203.0.113.7 wurde erstmals am ${day} genutzt · Nutzung ansehen`,
      'Nutzung ansehen: Shop',
    ],
  ] as const)(
    'says what a leaked key did in its last days, whoever reported it, and leads to its usage (%s)',
    async (language, title, given, did, link) => {
      const key = leaked(given);
      const at = Date.parse(key.revokedAt!);
      const day = (daysBefore: number) => new Date(at - daysBefore * DAY_MS).toISOString().slice(0, 10);
      const days = [7, 6, 0].map((ago, n) => ({ day: day(ago), granted: [5000, 200, 1007][n]!, refused: 3 }));
      const uses = [
        use('203.0.113.7', day(2), day(1)),
        use('198.51.100.4', day(60), day(3)),
        use('192.0.2.1', day(60), day(8)),
      ];
      const denied = { at: iso(-DAY_MS), reason: 'revoked', operation: 'read' };
      api.keys = [key];
      api.histories = {
        [key.id]: {
          days,
          uses: [...uses, { ...use('192.0.2.9', day(0), day(0)), lastAt: denied.at, lastDenial: denied }],
        },
      };
      openPanel({ language });
      const section = await region(title);
      const written = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' });
      const words = did(written.format(at - 2 * DAY_MS).replaceAll(' ', '\u00a0'));
      await waitFor(() => expect(section.getByRole('listitem').textContent).toContain(words));
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      await waitFor(() => expect(api.calls('listKeys')).toHaveLength(2));
      expect(api.calls('getKey')).toHaveLength(1);
      await user.click(section.getByRole('link', { name: link }));
      await dialog('Shop');
    },
  );

  test('says of a key that ends unless it is used, in its row, in the section and in its details', async () => {
    api.keys = [anApiKey({ lastUsedAt: iso(-3 * MINUTE_MS) }), idle()];
    openPanel();
    const ends = /Ends on \w+ \d+(, \d{4})? unless it is used/;
    // Not among what needs attention: there may be nothing to do.
    expect((await region('Good to know')).getByRole('listitem').textContent).toMatch(ends);
    expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull();
    (await row('Status dashboard')).getByText(ends);
    await user.click((await row('Status dashboard')).getByRole('link', { name: 'Status dashboard' }));
    await (await dialog('Status dashboard')).findByText('Ends unless it is used');
  });

  test('says so once for the two keys of a rotation', async () => {
    const old = idle();
    const fresh = anApiKey({ ...old, id: 'new', lastUsedAt: null, replaces: old.id, graceSeconds: 3600 });
    api.keys = [fresh, { ...old, idleEndsAt: null, replacedBy: fresh.id }];
    openPanel();
    await (await region('Good to know')).findByText(/unless it is used/);
    expect(screen.getAllByText(/Ends on .* unless it is used/)).toHaveLength(2);
  });

  test('leads to what the key did, to a rotation, and to a rotation that nobody finished', async () => {
    const old = anApiKey({ name: 'Backup', expiresAt: iso(2.1 * DAY_MS) });
    const fresh = anApiKey({ name: 'Backup', createdAt: iso(-DAY_MS), replaces: old.id, graceSeconds: 86_400 });
    api.keys = [
      anApiKey({
        name: 'Nightly',
        createdAt: iso(-60 * DAY_MS),
        expiresAt: iso(3.1 * DAY_MS),
        lastUsedAt: iso(-HOUR_MS),
      }),
      fresh,
      { ...old, createdAt: iso(-60 * DAY_MS), replacedBy: fresh.id },
    ];
    openPanel();
    const section = await region();
    section.getByText('expires in 3 days');
    section.getByText('It is in use. Rotate it now, and nothing stops working.');
    const link = section.getByRole('link', { name: 'Nightly' });
    await user.click(link);
    await dialog('Nightly');
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    await user.click(section.getByRole('button', { name: 'Rotate…: Nightly' }));
    await dialog('Rotate “Nightly”');
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    section.getByText(/The new key has not been used yet; the old one expires in 2 days/);
    const undo = section.getByRole('button', { name: 'Undo rotation…: Backup' });
    expect(undo.getAttribute('data-variant')).toBe('default');
    await user.click(undo);
    await screen.findByText('The new key is revoked', { exact: false });
  });

  test('leads from a key that ends unless it is used to its revocation, by a button that is not red', async () => {
    api.keys = [idle()];
    openPanel();
    const revoke = (await region('Good to know')).getByRole('button', { name: 'Revoke…: Status dashboard' });
    expect(revoke.getAttribute('data-variant')).toBe('default');
    await user.click(revoke);
    await dialog('Revoke “Status dashboard”?');
  });

  test.each([
    ['en', 'Good to know', 'Mark handled: ', 'API keys'],
    ['de', 'Gut zu wissen', 'Abhaken: ', 'API-Schlüssel'],
  ] as const)('is removed once it is handled, in any browser (%s)', async (language, title, label, heading) => {
    api.keys = [1, 2].map((n) => ({ ...idle(), name: `Job ${n}`, idleEndsAt: iso((n + 3) * DAY_MS) }));
    const { unmount } = openPanel({ language });
    const section = await region(title);
    api.once('markHandled', new Refusal(503, 'unavailable'));
    await press(`${label}Job 1`, section);
    await screen.findByText(/^The service isn’t available|^Der Dienst ist/);
    await press(`${label}Job 1`, section);
    // Not on a button: a second press would do something else.
    await focusOn(() => section.getByRole('link', { name: 'Job 2' }));
    expect(section.getAllByRole('listitem')).toHaveLength(1);
    await press(`${label}Job 2`, section);
    await focusOn(() => screen.getByRole('heading', { name: heading, level: 2 }));
    expect(api.calls('markHandled').map(({ body }) => body.mark)).toContain(`idling ${iso(4 * DAY_MS).slice(0, 10)}`);
    unmount();
    openPanel({ language });
    await row('Job 1');
    expect(screen.queryByRole('region', { name: title })).toBeNull();
  });

  test('says in German that a key ends unless it is used', async () => {
    api.keys = [idle()];
    openPanel({ language: 'de' });
    const ends = /Endet am \d+\. \S+( \d{4})?, wenn er nicht genutzt wird/;
    expect((await region('Gut zu wissen')).getByRole('listitem').textContent).toMatch(ends);
  });
});
