/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../src/api/types';
import { ScriptedApi } from './support/api';
import { anApiKey, DAY_MS, iso } from './support/keys';
import { dialog, openPanel, PASSWORD, press, screen, type, user, waitFor } from './support/screen';

const OWNED = ['reports:read', 'systems:read', 'systems:write', 'users:read'];
const dayOf = (fromNowMs: number) => iso(fromNowMs).slice(0, 10);
const use = (permission: string, count: number, operation?: string) => ({
  permission,
  ...(operation && { operation }),
  firstDay: dayOf(-50 * DAY_MS),
  lastDay: dayOf(-DAY_MS),
  count,
});

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
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

describe('what a key uses', () => {
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
