/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ScriptedApi, SECRET } from './support/api';
import { iso } from './support/keys';
import {
  button,
  dialog,
  fillCreate,
  focusOn,
  isGone,
  type Language,
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

describe('a new key', () => {
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
