/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { fireEvent } from '@testing-library/react/pure';
import { Refusal, ScriptedApi } from './support/api';
import { anApiKey } from './support/keys';
import {
  choose,
  fillCreate,
  focusOn,
  isGone,
  openCreate,
  openPanel,
  openTerms,
  PASSWORD,
  press,
  screen,
  shownKey,
  type,
  user,
} from './support/screen';

/** 150 resources, each to read and to write. */
const MANY = Array.from({ length: 150 }, (_, n) => [`area-${n}:read`, `area-${n}:write`]).flat();

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
  api.permissions = ['systems:read', 'systems:write'];
});

const permission = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name });
/** The name of a box. */
const boxOf = (isGerman: boolean, what: string, action: 'read' | 'write') =>
  isGerman
    ? `${what.charAt(0).toUpperCase()}${what.slice(1)} ${{ read: 'lesen', write: 'schreiben' }[action]}`
    : `${{ read: 'Read', write: 'Write' }[action]} ${what}`;
const only = () => screen.getByRole('radio', { name: 'Only these' });

async function openForm(): Promise<void> {
  openPanel();
  await openCreate();
  await fillCreate();
}

describe('a key that is limited', () => {
  test('may do everything by default, and else at least one thing and at most 100', async () => {
    api.permissions = MANY;
    await openForm();
    await choose('Only these');
    // A read-only key can use only half of them.
    await screen.findByText('0 of 150 selected');
    await press('Create key');
    await screen.findByText('Choose at least one permission, or everything');
    await focusOn(only);
    (await permission('Read area-0')).focus();
    await user.keyboard(' {ArrowDown} ');
    // Clicks alone: the events of a mouse or a keyboard would be most of the work.
    for (const box of screen.getAllByLabelText(/^Read area-\d+$/).slice(2, 101)) fireEvent.click(box);
    await screen.findByText('101 of 150 selected');
    await press('Create key');
    await screen.findByText('Choose at most 100 permissions, or everything');
    await focusOn(only);
    expect(api.calls('createKey')).toHaveLength(0);
    await choose('Everything you may read');
    await press('Create key');
    await shownKey();
    expect(api.calls('createKey').map(({ body }) => body.permissions)).toEqual([undefined]);
  });

  test('loses what a lower access level can’t use, and the form says so', async () => {
    await openForm();
    await choose('Read and write');
    await choose('Only these');
    // Two permissions need no search.
    await user.click(await permission('Write systems'));
    await user.click(await permission('Read systems'));
    screen.getByRole('rowheader', { name: 'Systems systems' });
    for (const name of ['Resource', 'read', 'write']) screen.getByRole('columnheader', { name });
    expect(screen.queryByRole('searchbox', { name: 'Search permissions' })).toBeNull();
    await choose('Read-only');
    await screen.findByText('Left out, because a read-only key can only read: systems:write.');
    await screen.findByText('1 of 1 selected');
    expect(screen.queryByRole('checkbox', { name: 'Write systems' })).toBeNull();
  });

  test.each([
    ['en', 'Access', 'read and write systems', 'read systems', 'use 5 permissions'],
    ['de', 'Zugriff', 'systems lesen und schreiben', 'systems lesen', '5 Berechtigungen nutzen'],
  ] as const)(
    'says in its sentence what it may do, or how much where that is long (%s)',
    async (language, field, both, one, many) => {
      const isGerman = language === 'de';
      api.permissions = [...api.permissions, 'reports:write', 'billing/invoices:read', 'users:read'];
      openPanel({ language });
      await press(isGerman ? /^Ersten API-Schlüssel/ : /^Create your first/);
      await openTerms();
      await choose(isGerman ? 'Lesen/schreiben' : 'Read and write');
      await choose(isGerman ? 'Nur diese' : 'Only these');
      const says = (words: string) =>
        screen.getByRole('button', { name: `${field}: ${words}, ${isGerman ? 'ändern' : 'change'}` });
      const pick = async (what: string, action: 'read' | 'write') => {
        await user.click(await permission(boxOf(isGerman, what, action)));
      };
      // In the order of the words, not of the clicks.
      await pick('systems', 'write');
      await pick('systems', 'read');
      says(both);
      await pick('systems', 'write');
      says(one);
      await pick('users', 'read');
      says(isGerman ? 'systems und users lesen' : 'read systems and users');
      await pick('users', 'read');
      await pick('reports', 'write');
      says(isGerman ? 'systems lesen und reports schreiben' : 'read systems and write reports');
      // In the order of the table, not of the clicks.
      await pick('systems', 'read');
      await pick('systems', 'read');
      says(isGerman ? 'systems lesen und reports schreiben' : 'read systems and write reports');
      await pick('systems', 'write');
      await pick('users', 'read');
      await pick('billing invoices', 'read');
      says(many);
    },
  );

  test('takes one of many in place of all, and refuses an ID that no permission can have', async () => {
    api.keys = [anApiKey({ permissions: ['systems/sys-7:read', 'systems:write', 'reports/3:read'] })];
    await openForm();
    await choose('Only these');
    await user.click(await permission('Read systems'));
    await press('Only one of them… systems');
    // With the IDs that the person's keys have.
    const which = () => screen.queryByRole<HTMLInputElement>('combobox', { name: 'Which one of “systems”?' });
    await focusOn(which);
    expect([...which()!.list!.options].map(({ value }) => value)).toEqual(['sys-7']);
    await type('Which one of “systems”?', 'a b');
    await press('Add');
    await screen.findByText(/^Use letters, digits and/);
    await type('Which one of “systems”?', 'systems/sys-1');
    await press('Add');
    expect((await permission('Read systems sys-1')).checked).toBe(true);
    expect((await permission('Read systems')).checked).toBe(false);
    await press('Create key');
    await shownKey();
    expect(api.calls('createKey')[0]!.body.permissions).toEqual(['systems/sys-1:read']);
  });

  test('starts from all that can be read, or from another key, without more than its level and its owner allow', async () => {
    api.permissions = [...MANY.slice(0, 26), 'systems:read', 'systems:write'];
    const permissions = ['systems/sys-2:write', 'systems/sys-1:read', 'area-99:read'];
    const rotation = { name: 'Nightly', permissions: ['systems:read'] };
    api.keys = [
      anApiKey({ name: 'Backup', permissions }),
      anApiKey({ name: 'Everything' }),
      anApiKey({ ...rotation, id: 'old', replacedBy: 'new' }),
      anApiKey({ ...rotation, id: 'new', replaces: 'old' }),
    ];
    await openForm();
    await choose('Only these');
    await type('Search permissions', 'area-3');
    await press('Read all');
    await screen.findByText('14 of 14 selected');
    expect((await permission('Read area-4')).checked).toBe(true);
    await press('Same as another key…');
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
      'Backup3 permissions',
      'Nightlyread systems',
    ]);
    await user.click(screen.getByRole('menuitem', { name: /^Backup/ }));
    await screen.findByText(
      'Left out, because you can’t give it: area-99:read. Left out, because a read-only key can only read: systems/sys-2:write.',
    );
    await screen.findByText('1 of 16 selected');
    expect((await permission('Read systems sys-1')).checked).toBe(true);
    // The IDs that the person's keys name, except those that are in the table.
    await press('Only one of them… systems');
    expect(screen.queryByRole('combobox', { name: 'Which one of “systems”?' })).toBeNull();
    await press('Create key');
    await shownKey();
    expect(api.calls('createKey')[0]!.body.permissions).toEqual(['systems/sys-1:read']);
  });

  test.each([
    [10, undefined],
    [11, 'true'],
  ])('is chosen in a table that with %i resources is marked as long: %s', async (count, isLong) => {
    api.permissions = Array.from({ length: count }, (_, n) => `area-${n}:read`);
    await openForm();
    await choose('Only these');
    expect((await screen.findByRole('grid')).dataset.long).toBe(isLong);
  });

  test('keeps its form open, with the password, when Escape clears the search', async () => {
    api.permissions = MANY;
    await openForm();
    await choose('Only these');
    await type('Search permissions', 'area-14:');
    await isGone(() => screen.queryByRole('checkbox', { name: 'Read area-0' }));
    await user.keyboard('{Escape}');
    await permission('Read area-0');
    expect(screen.getByLabelText<HTMLInputElement>('Your password').value).toBe(PASSWORD);
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
  });

  test('is found by its words as well as by its name', async () => {
    api.permissions = [...MANY, 'billing/tax-reports:read'];
    await openForm();
    await choose('Only these');
    for (const text of ['billing tax rep', 'billing/tax-rep']) {
      // oxlint-disable-next-line no-await-in-loop
      await type('Search permissions', text);
      screen.getByRole('rowheader', { name: 'Billing tax reports billing/tax-reports' });
      expect(screen.queryByRole('checkbox', { name: 'Read area-0' })).toBeNull();
    }
  });

  test('counts each box once, also those for one of many', async () => {
    await openForm();
    await choose('Only these');
    await press('Only one of them… systems');
    await type('Which one of “systems”?', '42');
    await press('Add');
    await user.click(await permission('Read systems'));
    await screen.findByText('2 of 2 selected');
  });

  test.each([
    ['en', 'All: read', 'All shown: read', 'Search permissions', '75 of 300 selected'],
    ['de', 'Alle: Lesen', 'Alle angezeigten: Lesen', 'Berechtigungen suchen', '75 von 300 ausgewählt'],
  ] as const)(
    'takes or drops a whole column, or what a search finds of it (%s)',
    async (language, all, shown, search, count) => {
      const box = (what: string, action: 'read' | 'write' = 'read') =>
        permission(boxOf(language === 'de', what, action));
      api.permissions = MANY;
      openPanel({ language });
      await press(language === 'en' ? /^Create your first/ : /^Ersten API-Schlüssel/);
      await openTerms();
      await choose(language === 'en' ? 'Read and write' : 'Lesen/schreiben');
      await choose(language === 'en' ? 'Only these' : 'Nur diese');
      const read = () => permission(all);
      await user.click(await read());
      expect((await box('area-0')).checked && (await read()).checked).toBe(true);
      expect((await box('area-0', 'write')).checked).toBe(false);
      await user.click(await box('area-0'));
      expect([(await read()).checked, (await read()).indeterminate]).toEqual([false, true]);
      await user.click(await read());
      await user.click(await read());
      expect((await box('area-3')).checked).toBe(false);
      // 1, 10 to 19 and 100 to 149 are 61; 2 and 20 to 29 are 11.
      for (const part of ['area-1', 'area-2', 'area-3:', 'area-4:', 'area-5:']) {
        await type(search, part);
        await user.click(await permission(shown));
      }
      await screen.findByText(count);
    },
  );

  test('offers no address where the service is not sure of it', async () => {
    api.session = { ...api.session!, clientIp: null };
    await openForm();
    await screen.findByText(/Requests from other or unknown addresses are rejected/);
    expect(screen.queryByRole('button', { name: /^Add my current address/ })).toBeNull();
  });

  test('whose owner loses a permission while the form is open is refused at the field, and the form leaves it out', async () => {
    api.permissions = ['systems:read', 'reports:read'];
    await openForm();
    await choose('Only these');
    await user.click(await permission('Read systems'));
    await user.click(await permission('Read reports'));
    const message = 'holds "reports:read", which this account can\'t give';
    api.permissions = ['systems:read'];
    api.once('createKey', new Refusal(400, 'invalid_fields', { errors: [{ field: 'permissions', message }] }));
    await press('Create key');
    await screen.findByText(/holds "reports:read", which this account can't give/);
    await screen.findByText('Left out, because you can’t give it: reports:read.');
    await isGone(() => screen.queryByRole('checkbox', { name: 'Read reports' }));
  });
});
