/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Refusal, ScriptedApi } from './support/api';
import { aRevokedKey } from './support/keys';
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
  type,
  user,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

describe('a list without active keys', () => {
  test('of a suspended service account does not explain how to begin', async () => {
    const service = { id: 'shop', displayName: 'Shop', kind: 'service', status: 'suspended' } as const;
    api.accounts = [...api.accounts, service];
    openPanel({ place: { tab: 'keys', status: 'all', account: 'shop' }, onPlace: () => {} });
    await screen.findByText(/^No active keys\./);
    expect(screen.queryByText('No API keys yet')).toBeNull();
    expect(screen.queryByRole('button', { name: /^Create/ })).toBeNull();
  });

  test('says what that means, where keys have ended', async () => {
    api.keys = [aRevokedKey()];
    openPanel();
    await screen.findByText('No active keys. No program can call the API as you.');
  });
});

test('the form says that a key of an owner without permissions can do next to nothing, at this access level', async () => {
  api.permissions = ['systems:write'];
  openPanel();
  await openCreate();
  const warning = 'You have no permissions that a key with this access can use.';
  await screen.findByText(warning);
  await choose('Read and write');
  await isGone(() => screen.queryByText(warning));
  expect(api.calls('getPermissions')).toHaveLength(1);
});

describe('an error in the form for a new key', () => {
  const shown = jest.fn<(this: Element, how: unknown) => void>();
  beforeEach(() => {
    shown.mockClear();
    Element.prototype.scrollIntoView = shown;
  });

  test('about permissions stands before their list, and its field is scrolled to the middle and focused', async () => {
    api.permissions = ['systems:read', 'systems:write'];
    openPanel();
    await openCreate();
    await fillCreate();
    await choose('Only these');
    const list = await screen.findByRole('grid', { name: 'Permissions' });
    await press('Create key');
    const error = await screen.findByText('Choose at least one permission, or everything');
    expect(error.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const only = screen.getByRole('radio', { name: 'Only these' });
    await focusOn(() => only);
    expect(shown.mock.contexts).toContain(only);
    expect(shown).toHaveBeenLastCalledWith({ block: 'center' });
    expect(api.calls('createKey')).toHaveLength(0);
  });

  test('about networks names every wrong line, in the language of the screen, before anything is sent', async () => {
    openPanel({ language: 'de' });
    await press('Ersten API-Schlüssel erstellen');
    await openTerms();
    await type('Name', 'CI deploy');
    await type('Ihr Passwort', PASSWORD);
    const networks = await screen.findByRole('textbox', { name: 'Erlaubte Netze' });
    await user.click(networks);
    await user.paste('203.0.113.0/24\nnowhere\n198.51.100.0/33\n0.0.0.0/0');
    await press('Erstellen');
    await screen.findByText(/^Kein Netz, oder alle Adressen: nowhere, 198\.51\.100\.0\/33, 0\.0\.0\.0\/0$/);
    await focusOn(() => networks);
    expect(api.calls('createKey')).toHaveLength(0);
  });

  test('that only the service finds leaves the password, unless it is the password', async () => {
    const errors = [{ field: 'name', message: 'must not contain control characters' }];
    api.once('createKey', new Refusal(400, 'invalid_fields', { errors }));
    openPanel();
    await openCreate();
    await fillCreate();
    await press('Create key');
    await screen.findByText('This must not contain control characters');
    expect(screen.getByLabelText<HTMLInputElement>('Your password').value).toBe(PASSWORD);
  });
});
