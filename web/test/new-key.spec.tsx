/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Refusal, ScriptedApi, SECRET } from './support/api';
import { aRevokedKey, iso } from './support/keys';
import {
  button,
  choose,
  dialog,
  fillCreate,
  focusOn,
  isGone,
  type Language,
  openCreate,
  openPanel,
  openTerms,
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

describe('a new key', () => {
  const createKey = async (props: { readonly exampleUrl?: string } = {}) => {
    openPanel(props);
    await openCreate();
    await fillCreate();
    await press('Create key');
    return shownKey();
  };
  const copied = () => navigator.clipboard.readText();
  const isClosed = () => isGone(() => screen.queryByRole('dialog'));
  const example = async (name: string) => {
    await user.click(screen.getByRole('tab', { name }));
    return (await screen.findByRole('textbox', { name })).textContent;
  };

  test('is shown once, and nothing on the page, in the address or in a storage has it after closing', async () => {
    const key = await createKey();
    await dialog('Your new key “CI deploy”');
    screen.getByText('You’ll see this key only once. Copy it now.');
    screen.getByText(/^Keep it in a password manager.* Never in source control/);
    await press('Copy key');
    await screen.findByRole('button', { name: 'Copied' });
    await screen.findByText('Copied to the clipboard');
    expect(await copied()).toBe(key);
    await press('Done');
    await isClosed();
    await row('CI deploy');
    const kept = [
      document.documentElement.outerHTML,
      location.href,
      JSON.stringify([{ ...sessionStorage }, { ...localStorage }]),
    ];
    expect(kept.filter((text) => text.includes(SECRET))).toEqual([]);
  });

  test('has its expiry next to its name, and one filled button: to copy it, then to close', async () => {
    await createKey();
    within(await screen.findByRole('dialog')).getByText(/^Expires on /);
    const filled = () =>
      ['Copy key', 'Copied', 'Copy snippet', 'Done'].filter(
        (name) => screen.queryByRole('button', { name })?.dataset['variant'] === 'filled',
      );
    expect(filled()).toEqual(['Copy key']);
    await press('Copy key');
    await screen.findByRole('button', { name: 'Copied' });
    expect(filled()).toEqual(['Done']);
  });

  test('is in no example but the line for the .env file, and each example calls the address of the host', async () => {
    const key = await createKey({ exampleUrl: "https://api.example.com/it's" });
    expect(await example('.env')).toBe(`API_KEY=${key}`);
    for (const name of ['curl', 'Node.js', 'Python']) {
      const code = await example(name);
      expect(code).toContain("'https://api.example.com/it%27s'");
      expect(code).not.toContain(SECRET);
    }
  });

  test('is closed at once after its line was copied', async () => {
    const key = await createKey();
    await press('Copy snippet');
    await screen.findByRole('button', { name: 'Copied' });
    expect(await copied()).toBe(`API_KEY=${key}`);
    await press('Done');
    await isClosed();
  });

  test('is closed only after a question, if it was not copied or only a command without it was', async () => {
    const key = await createKey();
    await press('Done');
    await dialog('Close without copying the key?');
    screen.getByText(/You won’t see it again\./);
    await focusOn(() => screen.getByRole('button', { name: 'Back to the key' }));
    await user.keyboard('{Escape}');
    expect(await shownKey()).toBe(key);
    await user.click(screen.getByRole('tab', { name: 'curl' }));
    await press('Copy snippet');
    await screen.findByRole('button', { name: 'Copied' });
    await press('Done');
    await dialog('Close without copying the key?');
    await press('Close anyway');
    await isClosed();
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
  });

  test('asks before the page is left only until it was copied', async () => {
    await createKey();
    const asks = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(asks()).toBe(true);
    await press('Copy key');
    await screen.findByRole('button', { name: 'Copied' });
    await waitFor(() => expect(asks()).toBe(false));
  });

  test('is forgotten when the page is left, and the person reads why', async () => {
    await createKey();
    dispatchEvent(new Event('pagehide'));
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
    await screen.findByText('You left the page, so the key is no longer shown.');
  });

  test('is selected where the browser blocks copying', async () => {
    const key = await createKey();
    const { clipboard } = navigator;
    const { writeText } = clipboard;
    clipboard.writeText = () => Promise.reject(new Error('blocked'));
    try {
      await press('Copy key');
      await screen.findByText(/^Your browser blocks copying here\./);
      expect(String(getSelection())).toBe(key);
    } finally {
      clipboard.writeText = writeText;
    }
  });

  test('stands next to buttons of which only the one that copies it stands out', async () => {
    await createKey();
    expect((await button('Copy key')).getAttribute('data-variant')).toBe('filled');
    // What it says is its name.
    expect((await button('Copy snippet')).textContent).toContain('Copy snippet');
    for (const name of ['Done', 'Copy snippet'])
      expect((await button(name)).getAttribute('data-variant')).toBe('default');
  });

  test('shows its first request: rejected, or accepted with address and service', async () => {
    const day = { day: iso(0).slice(0, 10), granted: 0, refused: 1 };
    await createKey();
    const { id } = api.keys[0]!;
    await screen.findByText('Waiting for the first request…');
    // The same time twice: the last request was the denied one.
    const at = iso(0);
    const lastDenial = { at, reason: 'read-only-key', operation: 'write', permission: '' } as const;
    const use = { clientIp: '203.0.113.7', service: 'systems-api', firstAt: at, lastAt: at };
    api.histories[id] = { uses: [{ ...use, lastDenial }], days: [day] };
    await screen.findByText(/^A request was rejected: .+ Waiting for one that is accepted…$/);
    api.histories[id] = { uses: [use], days: [{ ...day, granted: 1 }] };
    api.change(id, { lastUsedAt: iso(0) });
    await screen.findByText('Accepted from 203.0.113.7 via systems-api');
  });

  test.each([
    ['en', 'Copy key', /^You’ll see this key only once/],
    ['de', 'Schlüssel kopieren', /nur einmal/],
  ] as readonly (readonly [Language, string, RegExp])[])(
    'says that it is shown once: %s',
    async (language, copy, words) => {
      const isGerman = language === 'de';
      openPanel({ language });
      await press(isGerman ? 'Ersten API-Schlüssel erstellen' : 'Create your first API key');
      await type('Name', 'CI deploy');
      await type(isGerman ? 'Ihr Passwort' : 'Your password', PASSWORD);
      await press(isGerman ? 'Erstellen' : 'Create key');
      await screen.findByRole('button', { name: copy });
      screen.getByText(words);
    },
  );
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
  // Below the sentence, whose fields are folded.
  await press('Create your first API key');
  const warning = 'You have no permissions that a key with this access can use.';
  await screen.findByText(warning);
  await openTerms();
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

  test.each([
    ['203.0.113.0/24\nnowhere\n198.51.100.0/33', 'Kein Netz: nowhere, 198.51.100.0/33'],
    ['203.0.113.0/24\n0.0.0.0/0\n::/0', 'Erlaubt alle Adressen: 0.0.0.0/0, ::/0'],
    ['0.0.0.0/0\n10.0.0.300', 'Kein Netz: 10.0.0.300. Erlaubt alle Adressen: 0.0.0.0/0'],
  ])('about networks names every wrong line and why, in the language of the screen: %j', async (typed, words) => {
    openPanel({ language: 'de' });
    await press('Ersten API-Schlüssel erstellen');
    await openTerms();
    await type('Name', 'CI deploy');
    await type('Ihr Passwort', PASSWORD);
    const networks = await screen.findByRole('textbox', { name: 'Erlaubte Netze' });
    await user.click(networks);
    await user.paste(typed);
    await press('Erstellen');
    await screen.findByText(words);
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
