/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey, AuditEvent } from '../src/api/types';
import { ScriptedApi } from './support/api';
import { anApiKey, anEvent, aRevokedKey, DAY_MS, HOUR_MS, iso, MINUTE_MS } from './support/keys';
import {
  dialog,
  fillCreate,
  openCreate,
  openPanel,
  PASSWORD,
  press,
  row,
  screen,
  shownKey,
  type,
  user,
  waitFor,
  within,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

describe('the activity', () => {
  const KEY = anApiKey({ name: 'CI deploy' });
  const OTHER = anApiKey({ name: 'Another' });
  beforeEach(() => {
    api.keys = [KEY, OTHER];
  });

  const refused = (given: Partial<AuditEvent> = {}) =>
    anEvent({ type: 'authentication.failed', keyId: KEY.id, reason: 'expired', ...given });
  const revoked = (given: Partial<AuditEvent>) => anEvent({ type: 'api_key.revoked', keyId: KEY.id, ...given });

  async function openActivity(): Promise<void> {
    openPanel();
    await user.click(await screen.findByRole('tab', { name: 'Activity' }));
  }

  const list = async () => within(await screen.findByRole('list', { name: 'Activity' }));
  const lines = async () => (await list()).getAllByRole('listitem');
  const sentences = async () => (await lines()).map((line) => line.querySelector('div')?.textContent);

  /** Answers each call with one page of 50 of the events that fit it, as the service does. */
  function answerInPages(): void {
    api.always('listEvents', ({ query: { type: types = '', keyId, cursor = '0' } }) => {
      const fitting = api.events.filter(
        (event) => (!types || types.split(',').includes(event.type)) && (!keyId || event.keyId === keyId),
      );
      const end = Number(cursor) + 50;
      const nextCursor = fitting.length > end ? String(end) : null;
      return { items: fitting.slice(Number(cursor), end), nextCursor, now: iso(0) };
    });
  }

  test('has the button for a new key and the count of keys, as the list has', async () => {
    await openActivity();
    screen.getByText('2 active keys, 3 more possible');
    await press('Create API key');
    await screen.findByRole('dialog', { name: 'Create API key' });
  });

  test('lists events as sentences, with when, which key and from where', async () => {
    api.events = [
      refused({ reason: 'revoked', at: iso(0), clientIp: '203.0.113.7', userAgent: 'curl/8.5.0' }),
      revoked({ reason: 'owner' }),
      anEvent({ type: 'authentication.failed', reason: 'incorrect-password' }),
      anEvent({ type: 'api_key.first_used', keyId: KEY.id }),
      anEvent({ type: 'api_key.created', keyId: KEY.id }),
    ];
    await openActivity();
    expect(await sentences()).toEqual([
      'CI deploy rejected: revoked',
      'Key CI deploy was revoked',
      'Wrong password for your account',
      'Key CI deploy was used for the first time',
      'Key CI deploy was created',
    ]);
    const days = screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
    expect(days[0]).toBe('today');
    const links = (await list()).getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual(Array.from({ length: 4 }, () => `?key=${KEY.id}`));
    const first = within((await lines())[0]!);
    for (const fact of [/now|seconds? ago/, new RegExp(KEY.prefix), '203.0.113.7', 'curl/8.5.0']) first.getByText(fact);
  });

  test('names who revoked a key, and only says that it was revoked if the reason is missing or unknown', async () => {
    const leak = { source: '<b>scanner</b>', url: 'https://git.example.com/a#L1' };
    api.events = [
      revoked({ reason: 'administrator' }),
      revoked({ reason: 'platform' }),
      revoked({ reason: 'leaked', leak }),
      revoked({ reason: 'rotated' }),
      revoked({ reason: 'owner' }),
      revoked({ reason: 'of-a-newer-service' as AuditEvent['reason'] }),
      revoked({ reason: null }),
    ];
    await openActivity();
    const plain = 'Key CI deploy was revoked';
    expect(await sentences()).toEqual([
      `${plain} by an administrator`,
      `${plain} by your platform`,
      `${plain} because it leaked`,
      `${plain}: a new key replaced it`,
      plain,
      plain,
      plain,
    ]);
    const texts = (await lines()).map(({ textContent }) => textContent ?? '');
    expect(texts.flatMap((text, n) => (text.includes('Automatic') ? [n] : []))).toEqual([3]);
    // Only of the leak. A stranger may have written it: no markup, and the site that the link leads to learns nothing.
    expect(texts.flatMap((text, n) => (text.includes('Found') ? [n] : []))).toEqual([2]);
    expect(texts[2]).toMatch(/Found by <b>scanner<\/b>/);
    const link = (await list()).getByRole('link', { name: `${leak.url} (opens in a new tab)` });
    const facts = ['href', 'target', 'rel'].map((name) => link.getAttribute(name));
    expect(facts).toEqual([leak.url, '_blank', 'noopener noreferrer']);
  });

  test('makes a link only of an https address at which a key was found', async () => {
    const urls = ['javascript:alert(1)', 'http://git.example.com/a', 'data:text/html,x', 'HTTPS:git.example.com/a'];
    api.events = urls.map((url) => revoked({ reason: 'leaked', leak: { source: null, url } }));
    await openActivity();
    const texts = (await lines()).map(({ textContent }) => textContent);
    urls.forEach((url, n) => expect(texts[n]).toContain(url));
    const links = (await list()).queryAllByRole('link').map(({ textContent }) => textContent);
    expect(links).toEqual(urls.map(() => KEY.name));
  });

  test('has pages, and can be filtered by kind and key', async () => {
    api.events = [
      ...Array.from({ length: 60 }, (_, n) => refused({ clientIp: `203.0.113.${n}` })),
      refused({ keyId: OTHER.id }),
      anEvent({ type: 'api_key.created', keyId: KEY.id }),
    ];
    answerInPages();
    await openActivity();
    const show = async (kind: string) => user.click(await screen.findByRole('radio', { name: kind }));
    const expectLines = (count: number) => waitFor(async () => expect(await lines()).toHaveLength(count));
    await expectLines(50);
    expect(await sentences()).not.toContain('Key CI deploy was created');
    await show('Changes');
    await expectLines(1);
    expect(await sentences()).toEqual(['Key CI deploy was created']);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    await show('Rejected');
    await expectLines(50);
    await press('Show more');
    await expectLines(61);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    expect(await sentences()).not.toContain('Key CI deploy was created');
    const key = screen.getByLabelText('Key');
    await user.selectOptions(key, OTHER.id);
    await expectLines(1);
    expect(await sentences()).toEqual(['Another rejected: expired']);
    await user.selectOptions(key, '');
    await expectLines(61);
  });

  test('shows equal refusals as one line with their number and both times, across pages too', async () => {
    const from = { clientIp: '203.0.113.7' };
    api.events = [
      refused({ ...from, at: iso(-1.2 * MINUTE_MS) }),
      refused({ ...from, at: iso(-2.2 * MINUTE_MS), reason: 'revoked' }),
      ...Array.from({ length: 70 }, (_, n) =>
        refused({ ...from, at: iso((-35.5 - 3 * n) * MINUTE_MS), count: n === 66 ? 2000 : 1 }),
      ),
      anEvent({ type: 'api_key.expired', keyId: KEY.id, at: iso(-5.1 * HOUR_MS) }),
    ];
    answerInPages();
    await openActivity();
    within((await lines())[2]!).getByText('48 times');
    await press('Show more');
    await waitFor(async () => expect(await sentences()).toContain('Key CI deploy expired'));
    expect(await lines()).toHaveLength(4);
    const together = within((await lines())[2]!);
    for (const text of ['2,069 times', '35 minutes ago', 'first 4 hours ago', '203.0.113.7']) together.getByText(text);
  });

  test('says that it is empty, for all events and for one kind', async () => {
    await openActivity();
    await screen.findByText(/^No activity yet\./);
    await user.click(screen.getByRole('radio', { name: 'Rejected' }));
    await screen.findByText(/^No rejected requests yet\./);
  });
});

describe('the first use of a key', () => {
  const at = new Date().toISOString();
  const lastDenial = { at, reason: 'missing-permission', operation: 'read', permission: 'systems:read' } as const;
  const USE = { clientIp: '203.0.113.7', service: 'systems', firstAt: at, lastAt: at, lastDenial };

  test('a first request that was rejected is explained, and shown in the list too, without loading the page again', async () => {
    api.once('getKey', ({ id }) => {
      const day = new Date().toISOString().slice(0, 10);
      const refused = Array.from({ length: 30 }, (_, index) => (index === 29 ? 1 : 0));
      const key = api.change(id, { recent: { granted: api.key(id).recent.granted, refused } });
      return { ...key, permissions: ['systems/42:read'], uses: [USE], days: [{ day, granted: 0, refused: 1 }] };
    });
    openPanel();
    await openCreate();
    await fillCreate();
    const before = api.calls('getKey').length;
    await press('Create key');
    await shownKey();
    await screen.findByText(/: it lacks the permission systems:read; this key has systems\/42:read\. Waiting/);
    await screen.findByRole('img', { name: /1 rejected/ });
    expect(api.calls('getKey')[before]!.id).toBe(api.keys[0]!.id);
  });

  test.each([
    ['an active key shows how to use it', {}, true],
    [
      'an ended key shows no example',
      { status: 'revoked' as const, revokedAt: at, revokedReason: 'owner' as const },
      false,
    ],
  ])('in place of an empty chart, %s', async (_, part, isShown) => {
    api.keys = [anApiKey(part)];
    openPanel({ place: { tab: 'keys', status: 'all', keyId: api.keys[0]!.id } });
    const { findByRole, queryByText, queryByRole } = await dialog('CI deploy');
    await findByRole('button', { name: 'Copy ID' });
    expect(queryByText(/^Reads the key from your .env file/) !== null).toBe(isShown);
    expect(queryByRole('slider') === null).toBe(isShown);
  });
});

describe('what a key uses', () => {
  const OWNED = ['reports:read', 'systems:read', 'systems:write', 'users:read'];
  const dayOf = (fromNowMs: number) => iso(fromNowMs).slice(0, 10);
  const use = (permission: string, count: number, operation?: string) => ({
    permission,
    ...(operation && { operation }),
    firstDay: dayOf(-50 * DAY_MS),
    lastDay: dayOf(-DAY_MS),
    count,
  });
  beforeEach(() => {
    api.permissions = OWNED;
  });

  async function openWith(
    permissionUse: ReturnType<typeof use>[],
    days = 60,
    language: 'en' | 'de' = 'en',
    of: Partial<ApiKey> = {},
  ) {
    const key = anApiKey({ access: 'read-and-write', permissions: OWNED, ...of });
    api.keys = [key];
    const permissionUseSince = dayOf(-days * DAY_MS);
    api.histories[key.id] = { uses: [], days: [], permissionUse, permissionUseSince };
    openPanel({ language });
    await user.click((await row('CI deploy')).getByRole('link'));
    return screen.findByRole('region', { name: language === 'en' ? 'What it uses' : 'Was er nutzt' });
  }

  test('is shown with shares, and one click opens the rotation that leaves the rest out', async () => {
    const section = await openWith([use('reports:read', 1), use('systems:read', 3)]);
    expect(section.textContent).toContain('Used 2 of 4 permissions since');
    expect([...section.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^Read systems systems:read75% of its requests, last on/),
      expect.stringMatching(/^Read reports reports:read25% of its requests, last on/),
    ]);
    await press(/^Leave out 2 permissions that it has not used since/);
    const { findByText } = await dialog('Rotate “CI deploy”');
    await findByText(/with the same name and fewer permissions/);
    await findByText('Read systems');
    await type('Your password', PASSWORD);
    await press('Rotate key');
    await waitFor(() => expect(api.calls('rotateKey')).toHaveLength(1));
    expect(api.calls('rotateKey')[0]!.body).toMatchObject({ permissions: ['reports:read', 'systems:read'] });
  });

  test.each([
    ['en', 'The key that it replaces used 1 of 4 permissions since'],
    ['de', 'Der ersetzte Schlüssel hat seit'],
  ] as const)('is that of the key that it replaces, until it is used itself, in %s', async (language, words) => {
    const replaced = { replaces: '0190a000-0000-7000-8000-000000000001' };
    const section = await openWith([use('systems:read', 3)], 60, language, replaced);
    expect(section.textContent).toContain(words);
  });

  test.each([
    ['its record is shorter than 30 days', [use('systems:read', 3)], 29, /^From .* you can leave out here/],
    [
      'a use was under a lease that named none',
      [use('systems:read', 3), use('unknown', 1)],
      60,
      /not recorded by perm/,
    ],
    ['it used more than are kept', [use('systems:read', 3), use('other', 1)], 60, /not recorded by permission/],
    ['a request needed none', [use('systems:read', 3), use('', 1, 'read')], 60, /not recorded by permission/],
    ['it used all', OWNED.map((each) => use(each, 1)), 60, 'It uses everything that it may do.'],
    ['it used none', [], 60, /Does anybody still need it/],
  ] as const)('is no reason to leave anything out if %s', async (_case, uses, days, why) => {
    await openWith([...uses], days);
    await screen.findByText(why);
    expect(screen.queryByRole('button', { name: /^Leave out/ })).toBeNull();
  });

  test('is shown in German', async () => {
    const section = await openWith([use('systems:read', 3)], 60, 'de');
    expect(section.textContent).toMatch(/1 von 4 Berechtigungen genutzt.*Systems lesen systems:read/);
    await screen.findByRole('button', { name: /^3 Berechtigungen weglassen, die er seit .* nicht genutzt hat$/ });
  });
});

describe('the summary of a key, below its name,', () => {
  async function summary(): Promise<(string | null)[]> {
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    const [list] = (await dialog('CI deploy')).getAllByRole('list');
    return [...list!.children].map(({ textContent }) => textContent);
  }

  test.each([
    ['en', ['Active', 'read and write', '2 permissions', '1 network', 'expires in 5 days']],
    ['de', ['Aktiv', 'lesen/schreiben', '2 Berechtigungen', '1 Netz', 'läuft in 5 Tagen ab']],
  ] as const)('names its status, access, permissions, networks and expiry, in %s', async (language, facts) => {
    const limits = { permissions: ['reports:read', 'systems:write'], allowedNetworks: ['203.0.113.0/24'] };
    api.keys = [anApiKey({ access: 'read-and-write', ...limits, expiresAt: iso(5.1 * DAY_MS) })];
    openPanel({ language });
    expect(await summary()).toEqual(facts);
  });

  test('says what a key without limits may do', async () => {
    api.keys = [anApiKey()];
    openPanel();
    expect(await summary()).toEqual(['Active', 'everything you may read', 'any network', 'expires in 3 months']);
  });

  test('names no expiry of a revoked key', async () => {
    api.keys = [aRevokedKey()];
    openPanel();
    await press(/^Ended/);
    expect(await summary()).toEqual(['Revoked', 'everything you may read', 'any network']);
  });
});
