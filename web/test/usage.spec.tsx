/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../src/api/types';
import { ScriptedApi } from './support/api';
import { anApiKey, aRevokedKey, DAY_MS, iso } from './support/keys';
import {
  dialog,
  fillCreate,
  openCreate,
  openPanel,
  PASSWORD,
  press,
  screen,
  shownKey,
  type,
  user,
  waitFor,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
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
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    return screen.findByRole('region', { name: language === 'en' ? 'What it uses' : 'Was er nutzt' });
  }

  test('is shown with shares, and one click opens the rotation that leaves the rest out', async () => {
    const section = await openWith([use('reports:read', 1), use('systems:read', 3)]);
    expect(section.textContent).toContain('Used 2 of 4 permissions since');
    expect([...section.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^systems · readsystems:read75% of its requests, last on/),
      expect.stringMatching(/^reports · readreports:read25% of its requests, last on/),
    ]);
    await press(/^Leave out 2 permissions that it has not used since/);
    const { findByText } = await dialog('Rotate “CI deploy”');
    await findByText(/with the same name and fewer permissions/);
    await findByText('systems · read');
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
    expect(section.textContent).toMatch(/1 von 4 Berechtigungen genutzt.*systems · Lesensystems:read/);
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
    ['en', ['Active', 'Read and write', '2 permissions', '1 network', 'Expires in 5 days']],
    ['de', ['Aktiv', 'Lesen/schreiben', '2 Berechtigungen', '1 Netz', 'Läuft in 5 Tagen ab']],
  ] as const)('names its status, access, permissions, networks and expiry, in %s', async (language, facts) => {
    const limits = { permissions: ['reports:read', 'systems:write'], allowedNetworks: ['203.0.113.0/24'] };
    api.keys = [anApiKey({ access: 'read-and-write', ...limits, expiresAt: iso(5.1 * DAY_MS) })];
    openPanel({ language });
    expect(await summary()).toEqual(facts);
  });

  test('says what a key without limits may do', async () => {
    api.keys = [anApiKey()];
    openPanel();
    expect(await summary()).toEqual(['Active', 'Everything you may read', 'Any network', 'Expires in 3 months']);
  });

  test('names no expiry of a revoked key', async () => {
    api.keys = [aRevokedKey()];
    openPanel();
    await press(/^Ended/);
    expect(await summary()).toEqual(['Revoked', 'Everything you may read', 'Any network']);
  });
});
