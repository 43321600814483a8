/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../src/api/types';
import { Refusal, ScriptedApi } from './support/api';
import { anApiKey, anEvent, aRevokedKey } from './support/keys';
import {
  button,
  chooseAction,
  dialog,
  fillCreate,
  focusOn,
  isGone,
  keyNames,
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

const BOT = { id: 'bot|1', displayName: 'CI bot', kind: 'service', status: 'active' } as const;

let api: ScriptedApi;
let keysOfBot: ApiKey[];
beforeEach(() => {
  api = new ScriptedApi();
  api.accounts = [...api.accounts, BOT];
  api.keys = [anApiKey({ name: 'My script' })];
  keysOfBot = [anApiKey({ name: 'Nightly build' })];
  api.always('listKeys', ({ query }) => {
    const isManaged = api.accounts.some(({ id }) => id === query['account']);
    if (query['account'] === undefined) return api.pageOf(api.keys);
    return isManaged ? api.pageOf(keysOfBot) : new Refusal(404, 'account_not_found');
  });
});

const open = (account?: string) => {
  if (account !== undefined) history.replaceState(null, '', `?${new URLSearchParams({ account })}`);
  openPanel();
};
const whose = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Keys of' });
const accountInAddress = () => new URLSearchParams(location.search).get('account');
const headingOf = (name: string) => screen.findByRole('heading', { name: `API keys of ${name}` });
const chooseBot = async () => {
  await user.selectOptions(await whose(), 'CI bot');
  await headingOf('CI bot');
};

describe('the keys of a service account', () => {
  test('are chosen with a switch, and the choice is in the address', async () => {
    open();
    await row('My script');
    await chooseBot();
    await row('Nightly build');
    await screen.findByText('Showing the keys of CI bot');
    expect([accountInAddress(), screen.queryByText('My script')]).toEqual([BOT.id, null]);
    history.back();
    await row('My script');
    expect(accountInAddress()).toBeNull();
    expect((await whose()).value).toBe('');
  });

  test('leave the list of other people alone: the accounts are read after it, and there is no switch', async () => {
    api.accounts = api.accounts.slice(0, 1);
    const answer = api.hold('listKeys');
    open();
    await screen.findByText('Loading…');
    expect(api.calls('listAccounts')).toHaveLength(0);
    answer();
    await row('My script');
    await waitFor(() => expect(api.calls('listAccounts')).toHaveLength(1));
    expect(screen.queryByRole('combobox', { name: 'Keys of' })).toBeNull();
  });

  test('are created and rotated in calls that name the account, with words that do not say "you"', async () => {
    keysOfBot = [];
    open(BOT.id);
    await openCreate();
    screen.getByText('This key belongs to CI bot. It keeps working when you leave.');
    screen.getByRole('radio', { name: 'Everything the service account may read' });
    screen.getByRole('button', { name: /^Access: read everything the service account can/ });
    await fillCreate({ name: 'Release build' });
    api.once('createKey', ({ body }) => {
      keysOfBot = [anApiKey({ name: body.name })];
      return { apiKey: keysOfBot[0]!, fullKey: 'lk_1.2' };
    });
    await press('Create key');
    await shownKey();
    await press('Copy key');
    await screen.findByRole('button', { name: 'Copied' });
    await press('Done');
    await isGone(() => screen.queryByRole('dialog'));
    await chooseAction('Release build', 'Rotate…');
    await type('Your password', PASSWORD);
    api.once('rotateKey', () => ({ apiKey: anApiKey(), fullKey: 'lk_1.2' }));
    await press('Rotate key');
    await shownKey();
    const calls = (['listKeys', 'createKey', 'rotateKey', 'getKey'] as const).flatMap((name) => api.calls(name));
    expect(calls.filter(({ query }) => query['account'] !== BOT.id)).toEqual([]);
    expect(calls.length).toBeGreaterThan(3);
  });

  test('that have all ended leave no program that calls the API as the account', async () => {
    keysOfBot = [aRevokedKey()];
    open(BOT.id);
    await screen.findByText('No active keys. No program can call the API as this service account.');
  });

  test('say who made them: you, another manager by name, or by id without a name', async () => {
    const by = (id: string, displayName: string) => ({ id, displayName, isFormerManager: false });
    keysOfBot = [
      anApiKey({ name: 'Mine' }),
      anApiKey({ name: 'Of Grace', createdBy: by('grace', 'Grace Hopper') }),
      anApiKey({ name: 'Of nobody', createdBy: by('auth0|7', '') }),
    ];
    api.always('getKey', ({ id }) => ({ ...keysOfBot.find((key) => key.id === id)!, uses: [], days: [] }));
    open(BOT.id);
    for (const [name, maker] of [
      ['Mine', 'you'],
      ['Of Grace', 'Grace Hopper'],
      ['Of nobody', 'auth0|7'],
    ] as const) {
      await user.click((await row(name)).getByRole('link', { name }));
      const details = await dialog(name);
      const summary = within(details.getAllByRole('list')[0]!);
      expect(summary.getAllByRole('listitem').at(-1)?.textContent).toBe(`made by ${maker}`);
      await user.keyboard('{Escape}');
      await isGone(() => screen.queryByRole('dialog'));
    }
  });

  test('say who changed them', async () => {
    const [key] = keysOfBot;
    const created = { type: 'api_key.created', keyId: key!.id } as const;
    api.events = [
      anEvent({ ...created, actor: { id: 'ada', displayName: 'Ada Lovelace' } }),
      anEvent({ ...created, actor: { id: 'grace', displayName: 'Grace Hopper' } }),
    ];
    open(BOT.id);
    await row('Nightly build');
    await user.click(screen.getByRole('tab', { name: 'Activity' }));
    const list = within(await screen.findByRole('list', { name: 'Activity' }));
    const [own, other] = list.getAllByRole('listitem').map((item) => within(item));
    own!.getByText('You');
    other!.getByText('Grace Hopper');
  });

  test('of an account that is suspended can be seen and revoked, and no new ones are offered', async () => {
    open(BOT.id);
    await openCreate();
    await fillCreate();
    api.accounts = [api.accounts[0]!, { ...BOT, status: 'suspended' }];
    api.once('createKey', new Refusal(409, 'account_not_active'));
    await press('Create key');
    within(await screen.findByRole('alert')).getByText(/suspended or deleted, so no key was made/);
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    await screen.findByText('CI bot is suspended');
    screen.getByText('Its keys do not work, and no new ones can be made. You can revoke them.');
    screen.getByRole('option', { name: 'CI bot (suspended)' });
    expect(screen.queryByRole('button', { name: /Create|Rotate|Replace/ })).toBeNull();
    await press('Actions for Nightly build');
    await screen.findByRole('menuitem', { name: 'Revoke…' });
    const items = screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
    expect(items).toEqual([
      'Details',
      'Edit name and note',
      'Pause for 5 minutes',
      'Pause for an hour',
      'Pause for a day',
      'Revoke…',
    ]);
  });

  test('are lost to a manager who was removed while the form was open, who then sees their own keys', async () => {
    open();
    await row('My script');
    await chooseBot();
    await openCreate();
    await fillCreate({ name: 'After' });
    api.accounts = api.accounts.slice(0, 1);
    api.once('createKey', new Refusal(404, 'account_not_found'));
    await press('Create key');
    await screen.findAllByText('You don’t manage this service account any more, so nothing was changed.');
    await user.keyboard('{Escape}');
    await screen.findByText('You no longer manage CI bot');
    await row('My script');
    await isGone(() => screen.queryByRole('combobox', { name: 'Keys of' }));
    expect(accountInAddress()).toBeNull();
    await press('Close');
    await isGone(() => screen.queryByText('You no longer manage CI bot'));
    await focusOn(() => screen.getByRole('heading', { name: 'API keys' }));
    await openCreate();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('');
  });

  test('that a former manager made need attention, and are rotated from there', async () => {
    const createdBy = { id: 'grace', displayName: 'Grace Hopper', isFormerManager: true };
    keysOfBot = [anApiKey({ name: 'Nightly build', createdBy })];
    open(BOT.id);
    const section = within(await screen.findByRole('region', { name: 'Needs attention' }));
    expect(section.getByRole('listitem').textContent).toMatch(/Nightly build was made by Grace Hopper, who has left/);
    await press('Rotate…: Nightly build', section);
    await dialog('Rotate “Nightly build”');
  });

  test.each(['nobody', 'ä/?&=#'])('are not shown for an address that names the account of others: %s', async (id) => {
    open(id);
    within(await screen.findByRole('alert')).getByText('You don’t manage that service account');
    await row('My script');
    expect(accountInAddress()).toBeNull();
  });

  test('never get what was typed for other keys', async () => {
    open();
    await openCreate();
    await fillCreate({ name: 'For myself' });
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    await chooseBot();
    await openCreate();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('');
  });

  test('stay on the screen while a new one is shown, even if "back" leads to other keys', async () => {
    open();
    await row('My script');
    await chooseBot();
    await row('Nightly build');
    await openCreate();
    await fillCreate();
    await press('Create key');
    const key = await shownKey();
    history.back();
    await waitFor(() => expect(accountInAddress()).toBeNull());
    expect(await shownKey()).toBe(key);
    expect(keyNames()).toEqual(['Nightly build']);
    await press('Copy key');
    await screen.findByRole('button', { name: 'Copied' });
    await press('Done');
    await row('My script');
    await button('Create API key');
  });
});
