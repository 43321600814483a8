/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { FoundKey, KeyOwner, OwnedKeyPage } from '../src/admin/types';
import { App } from '../src/page/App';
import { type MadeCall, Refusal, ScriptedApi } from './support/api';
import { anApiKey, DAY_MS, HOUR_MS, iso, MINUTE_MS } from './support/keys';
import {
  button,
  dialog,
  focusOn,
  isGone,
  openPage,
  PASSWORD,
  press,
  row,
  screen,
  type,
  user,
  waitFor,
  within,
} from './support/screen';

const ADA: KeyOwner = {
  id: 'ada',
  email: 'ada@example.com',
  displayName: 'Ada Lovelace',
  kind: 'person',
  status: 'active',
};
const FULL_KEY = `lk_7c1f4e0a9b2d7c1f4e0a9b2d.${'0'.repeat(64)}`;

let api: ScriptedApi;
let key: FoundKey;
beforeEach(() => {
  api = new ScriptedApi();
  api.session = { ...api.session!, ownerId: 'grace', displayName: 'Grace Hopper', isAdministrator: true };
  key = { ...anApiKey(), owner: ADA, uses: [], days: [], events: [] };
  api.always('findKeys', () => page([key]));
  api.always('findKey', () => key);
  api.always('findAccounts', { items: [ADA] });
  api.always('findEvents', () => ({ items: [], nextCursor: null, now: iso(0) }));
});

const page = (items: OwnedKeyPage['items']): OwnedKeyPage => ({ items, nextCursor: null, now: iso(0) });

const open = (search: string) => {
  history.replaceState(null, '', `/settings/api-keys?${search}`);
  openPage(<App />);
};
const made = () => [...api.calls('findAccounts'), ...api.calls('findKeys'), ...api.calls('findEvents')].length;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const FIND = 'Owner or key prefix';
const WHO = 'Who did it, or ID of a key';
const openFilters = async () => {
  await press('Filter');
  await dialog('Filter');
};
const pills = () => screen.getAllByRole('button', { name: /^Remove filter/ }).map(({ textContent }) => textContent);
const counts = () => screen.getByText(/\d shown$/).parentElement!.textContent;
/** The query of the latest list, without what is unset. */
const query = () => lists().at(-1)!.query;
/** Without what a person made, which is asked for with the list of their own keys. */
const lists = () => api.calls('findKeys').filter((call) => !(call.query['createdBy'] && call.query['status']));
const expectQuery = (expected: object) => waitFor(() => expect(query()).toEqual(expected));

describe('all keys', () => {
  test('name their owner, and show the requests of the last 30 days', async () => {
    const granted = [...key.recent.granted.slice(1), 12];
    key = { ...key, recent: { ...key.recent, granted } };
    open('tab=all-keys');
    const found = await row('CI deploy');
    found.getByText('Ada Lovelace');
    found.getByRole('img', { name: 'Last 30 days: 12 accepted' });
    found.getByText('ada@example.com');
    expect(counts()).toBe('1 shown·1 active');
  });

  test('are counted above the list, without zeros: active ones, those that expire within 7 days, and those unused for 90 days, and each count is a filter', async () => {
    const of = (given: Parameters<typeof anApiKey>[0]) => ({ ...key, ...anApiKey(given) });
    const isLongAgo = { createdAt: iso(-200 * DAY_MS) };
    const unused = of({ ...isLongAgo, lastUsedAt: iso(-91 * DAY_MS) });
    const ended = of({ ...isLongAgo, status: 'revoked', revokedAt: iso(-DAY_MS), revokedReason: 'owner' });
    api.always('findKeys', () =>
      page([key, of({ createdAt: iso(-30 * DAY_MS), expiresAt: iso(2 * DAY_MS) }), unused, ended]),
    );
    open('tab=all-keys');
    await screen.findByText('4 shown');
    expect(counts()).toBe('4 shown·3 active·1 expiring within 7 days·1 unused for 90 days');
    const narrow = async (count: string) => {
      const pressed = await button(`Show: ${count}`);
      await user.click(pressed);
      await waitFor(() => expect(pressed.getAttribute('aria-pressed')).toBe('true'));
      await focusOn(() => pressed);
    };
    await narrow('3 active');
    await expectQuery({ status: 'active' });
    expect(pills()).toEqual(['Active']);
    await narrow('1 expiring within 7 days');
    expect(pills()).toEqual(['Active', 'Expires within 7 days']);
    await narrow('1 unused for 90 days');
    expect(pills()).toEqual(['Unused for 90 days', 'Expires within 7 days']);
    expect(Object.keys(query())).toEqual(['status', 'lastUsedBefore', 'expiresFrom', 'expiresBefore']);
    for (const count of ['1 expiring within 7 days', '1 unused for 90 days'])
      await user.click(await button(`Show: ${count}`));
    await expectQuery({});
  });

  test('are all listed again once each count that was pressed is pressed again, in any order', async () => {
    const soon = { createdAt: iso(-200 * DAY_MS), lastUsedAt: iso(-91 * DAY_MS), expiresAt: iso(2 * DAY_MS) };
    api.always('findKeys', () => page([{ ...key, ...anApiKey(soon) }]));
    open('tab=all-keys');
    await screen.findByText('1 shown');
    const [active, expiring, unused] = ['1 active', '1 expiring within 7 days', '1 unused for 90 days'];
    const toggle = async (count: string | undefined, named: readonly string[]) => {
      await user.click(await button(`Show: ${count}`));
      await waitFor(() => expect([...new URLSearchParams(location.search).keys()].slice(1)).toEqual(named));
    };
    const days = ['expiresFrom', 'expiresUntil'];
    await toggle(expiring, ['status', ...days]);
    await toggle(expiring, []);
    await toggle(active, ['status']);
    await toggle(expiring, ['status', ...days]);
    await toggle(expiring, ['status']);
    await toggle(expiring, ['status', ...days]);
    await toggle(active, days);
    await toggle(expiring, []);
    await toggle(expiring, ['status', ...days]);
    await toggle(unused, ['status', 'only', ...days]);
    await toggle(unused, ['status', ...days]);
    await toggle(expiring, []);
  });

  test('stand out by their last use if they are active and unused for 90 days, and say who else than the owner made them', async () => {
    const of = (name: string, given: Parameters<typeof anApiKey>[0]) => ({
      ...key,
      ...anApiKey({ name, createdAt: iso(-200 * DAY_MS), lastUsedAt: iso(-91 * DAY_MS), ...given }),
    });
    api.always('findKeys', () =>
      page([
        of('Unused', { createdBy: { id: 'service:jobs', displayName: '', isFormerManager: false } }),
        of('Never', {
          lastUsedAt: null,
          createdBy: { id: 'grace', displayName: 'Grace Hopper', isFormerManager: false },
        }),
        of('Used', { lastUsedAt: iso(-89 * DAY_MS) }),
        of('Ended', { status: 'revoked', revokedAt: iso(-DAY_MS), revokedReason: 'owner' }),
      ]),
    );
    open('tab=all-keys');
    const standsOut = async (name: string, used: RegExp) =>
      (await row(name)).getByText(used).closest('.attention') !== null;
    expect(await standsOut('Unused', /months ago/)).toBe(true);
    expect(await standsOut('Never', /Never used/)).toBe(true);
    expect(await standsOut('Used', /months ago/)).toBe(false);
    expect(await standsOut('Ended', /months ago/)).toBe(false);
    const makerOf = async (name: string) => (await row(name)).queryByText(/^Made by/)?.textContent;
    expect(await makerOf('Unused')).toBe('Made by service:jobs');
    expect(await makerOf('Never')).toBe('Made by Grace Hopper');
    expect(await makerOf('Used')).toBeUndefined();
    // On the line of the owner's email, so that all rows are equally high.
    const makerLine = (await row('Never')).getByText(/^Made by/).parentElement;
    expect(makerLine).toBe((await row('Never')).getByText('ada@example.com').parentElement);
  });

  test('are searched with Enter or the button, and never while somebody types, pastes or leaves a field', async () => {
    open('tab=all-keys');
    await row('CI deploy');
    const before = made();
    await user.type(field(FIND), ADA.email);
    await user.tab();
    await openFilters();
    await type('Expires until', '0202-12-31');
    await user.tab();
    expect(made()).toBe(before);

    await press(`Search: ${FIND}`);
    await expectQuery({ owner: 'ada' });
    await focusOn(() => field(FIND));
    expect(api.calls('findAccounts').map((call) => call.query)).toEqual([{ query: ADA.email }]);
    expect(field(FIND).value).toBe('');
    // A long one is cut with an ellipsis.
    expect((await button(`Remove filter: Owner: ${ADA.email}`)).querySelector('[data-truncate]')).not.toBeNull();
    await openFilters();
    await type('Expires until', '2027-12-31');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(query()['expiresBefore']).toMatch(/^202[78]-/));
    expect(made()).toBe(before + 4);
    await press(`Remove filter: Owner: ${ADA.email}`);
    await waitFor(() => expect(query()['owner']).toBeUndefined());
    await focusOn(() => screen.getByRole('button', { name: 'Filter' }));
  });

  test('are found in the same field by a prefix, if no account is called so', async () => {
    open('tab=all-keys');
    await row('CI deploy');
    api.always('findAccounts', { items: [] });
    await user.type(field(FIND), 'lk_4f9a{Enter}');
    await expectQuery({ prefix: 'lk_4f9a' });
    const needed =
      'No account with this email or ID. Enter a whole email, an account’s ID, or the beginning of a key, such as lk_4f9a.';
    for (const text of ['nobody@example.com', 'Leo', 'Zoë']) {
      await type(FIND, text);
      await user.keyboard('{Enter}');
      await screen.findByText(needed);
    }
    expect(query()).toEqual({ prefix: 'lk_4f9a' });
    // Letters that a key may begin with.
    api.always('findKeys', () => page([]));
    await type(FIND, 'ada');
    await user.keyboard('{Enter}');
    await screen.findByText(/^No key fits\. To find a person’s keys/);
    expect(query()).toEqual({ prefix: 'ada' });
  });

  test('of a person who made keys of service accounts lead to them, too', async () => {
    const bot: KeyOwner = { id: 'bot', email: '', displayName: 'CI bot', kind: 'service', status: 'active' };
    const nightly = { ...key, ...anApiKey({ name: 'Nightly' }), owner: bot };
    api.always('findKeys', ({ query: { owner, createdBy } }) =>
      page(createdBy === 'ada' ? [key, nightly] : owner === 'bot' ? [nightly] : [key]),
    );
    open('tab=all-keys&owner=ada');
    await press('Show: Ada Lovelace also made 1 active key of a service account.');
    await row('Nightly');
    expect(pills()).toEqual(['Made by: Ada Lovelace']);
    expect(new URLSearchParams(location.search).get('createdBy')).toBe('ada');
    expect(api.calls('findKeys').map((call) => call.query)).toEqual([
      { owner: 'ada' },
      { createdBy: 'ada', status: 'active' },
      { createdBy: 'ada' },
    ]);
    await focusOn(() => screen.getByRole('heading', { name: 'API keys' }));
    await press('Remove filter: Made by: Ada Lovelace');
    await expectQuery({});
  });

  test('of a person lead to all that they made, too, if it could not be seen whether there are others', async () => {
    api.always('findKeys', ({ query: { createdBy } }) => (createdBy ? new Refusal(500, 'internal') : page([key])));
    open('tab=all-keys&owner=ada');
    await button('Show: ada may also have made keys of service accounts.');
  });

  test('are never searched by a key that somebody pastes, but by its beginning', async () => {
    open('tab=all-keys');
    await row('CI deploy');
    await user.click(field(FIND));
    await user.paste(`LATCHKEY_API_KEY=${FULL_KEY}\n`);
    expect(field(FIND).value).toBe(FULL_KEY.slice(0, 16));
    await user.keyboard('{Enter}');
    await expectQuery({ prefix: FULL_KEY.slice(0, 16) });
    expect(api.calls('findAccounts')).toHaveLength(0);
    expect(`${document.documentElement.outerHTML} ${location.href}`).not.toContain(FULL_KEY.slice(0, 17));
    await waitFor(() => expect(new URLSearchParams(location.search).get('prefix')).toBe(FULL_KEY.slice(0, 16)));
  });

  test('are sorted by the headings, by requests only those of one owner', async () => {
    open('tab=all-keys');
    await row('CI deploy');
    const headings = () =>
      screen
        .getAllByRole('columnheader')
        .filter((heading) => heading.hasAttribute('aria-sort'))
        .map((heading) => [heading.textContent, heading.getAttribute('aria-sort')]);
    expect(headings()).toEqual(['Name', 'Last used', 'Ends'].map((name) => [name, 'none']));
    await press('Ends');
    await expectQuery({ sort: 'expires' });
    await focusOn(() => screen.getByRole('button', { name: 'Ends' }));
    expect(headings()).toContainEqual(['Ends', 'ascending']);
    expect(new URLSearchParams(location.search).get('sort')).toBe('expires');
    await user.type(field(FIND), `${ADA.email}{Enter}`);
    await expectQuery({ owner: 'ada', sort: 'expires' });
    await press('Last 30 days');
    await expectQuery({ owner: 'ada', sort: 'requests' });
    expect(headings()).toContainEqual(['Last 30 days', 'descending']);
    await press('Last 30 days');
    await expectQuery({ owner: 'ada' });
  });

  test('can be narrowed to a status, to those unused for 90 days, and to days on which they expire', async () => {
    open('tab=all-keys');
    await row('CI deploy');
    await openFilters();
    const show = field('Show');
    await user.selectOptions(show, 'Revoked');
    await expectQuery({ status: 'revoked' });
    await user.selectOptions(show, 'Unused for 90 days');
    await waitFor(() => expect(query()).toMatchObject({ status: 'active' }));
    const since = Date.parse(query()['lastUsedBefore']!);
    expect(Math.abs(since - Date.parse(iso(-90 * DAY_MS)))).toBeLessThan(DAY_MS);
    await press('Expires within 30 days');
    await waitFor(() => expect(Object.keys(query())).toContain('expiresBefore'));
    expect([field('Expires from').value, field('Expires until').value]).toEqual([inDays(0), inDays(30)]);
    await button('Remove filter: Expires within 30 days');
    await user.selectOptions(show, 'Revoked');
    await expectQuery({ status: 'revoked' });
    expect(field('Expires until').value).toBe('');
    // Both days of a range count, where the administrator is. They apply after a pause.
    await type('Expires from', inDays(20));
    await type('Expires until', inDays(20));
    await waitFor(() => {
      const { status: asked, expiresFrom, expiresBefore } = query();
      const hours = (Date.parse(expiresBefore!) - Date.parse(expiresFrom!)) / HOUR_MS;
      expect([asked, hours, new Date(expiresFrom!).getHours()]).toEqual(['active', 24, 0]);
    });
    await press(/^Remove filter: Expires from/);
    await expectQuery({ status: 'active' });
  });

  test('can be narrowed to those that are paused, or could be narrower', async () => {
    open('tab=all-keys');
    await row('CI deploy');
    await openFilters();
    await user.selectOptions(field('Show'), 'Could be narrower');
    await expectQuery({ status: 'active', only: 'narrower' });
    expect(new URLSearchParams(location.search).get('only')).toBe('narrower');
    await user.selectOptions(field('Show'), 'Paused');
    await expectQuery({ status: 'active', only: 'paused' });
    expect(pills()).toEqual(['Paused']);
    await user.selectOptions(field('Show'), 'Revoked');
    await expectQuery({ status: 'revoked' });
    expect(pills()).toEqual(['Revoked']);
  });

  test('say so to somebody who loses the permission while the page is open', async () => {
    open('tab=all-keys');
    const link = (await row('CI deploy')).getByRole('link', { name: 'CI deploy' });
    api.session = { ...api.session!, isAdministrator: false };
    api.always('findKey', new Refusal(404, 'not_found'));
    api.always('findKeys', new Refusal(404, 'not_found'));
    await user.click(link);
    await (await dialog('API key')).findByText('You can’t see all keys any more');
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    await openFilters();
    await user.selectOptions(field('Show'), 'Active');
    within(await screen.findByRole('alert')).getByText('You can’t see all keys any more');
    expect(screen.queryByRole('row')).toBeNull();
  });

  test('are not offered to people without the permission, whose address leads to their own keys', async () => {
    api.session = { ...api.session!, isAdministrator: false };
    api.keys = [anApiKey({ name: 'Own key' })];
    open('tab=all-keys');
    await row('Own key');
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Keys', 'Activity']);
    expect(made()).toBe(0);
  });

  test('say that a key does not exist', async () => {
    api.always('findKey', new Refusal(404, 'not_found'));
    open(`tab=all-keys&key=${key.id}`);
    await (await dialog('API key')).findByText('There is no key with this ID.');
  });

  test('say that a key had already ended when somebody else was faster', async () => {
    open(`tab=all-keys&key=${key.id}`);
    await press('Revoke key…', await dialog('CI deploy'));
    const form = await dialog('Revoke “CI deploy”?');
    form.getByText(/^It belongs to Ada Lovelace\./);
    await type('Your password', PASSWORD);
    api.once('endKey', () => {
      key = { ...key, status: 'revoked', revokedAt: iso(0), revokedReason: 'owner' };
      return new Refusal(409, 'api_key_not_active', { apiKeyStatus: 'revoked' });
    });
    await press('Revoke key', form);
    await screen.findByText('“CI deploy” had already ended');
    await screen.findByText(/^Its owner revoked this key/);
  });

  test('are paused and resumed in the drawer, which shows it at once, and the focus stays on the button', async () => {
    open(`tab=all-keys&key=${key.id}`);
    const drawer = await dialog('CI deploy');
    api.once('pauseAnyKey', ({ body }) => (key = { ...key, pausedUntil: iso(body.minutes * MINUTE_MS) }));
    await press('Pause it for an hour', drawer);
    await screen.findByText('“CI deploy” is paused and works again in 1 hour');
    await drawer.findAllByText(/^Paused until/);
    await press('Resume…', drawer);
    const form = await dialog('Resume “CI deploy”?');
    expect(form.queryByLabelText('Note (optional)')).toBeNull();
    await type('Your password', PASSWORD);
    // The owner's own pause stays.
    api.once('resumeAnyKey', () => key);
    await press('Resume key', form);
    await screen.findByText('“CI deploy” stays paused by its owner');
    expect(api.calls('resumeAnyKey').map(({ body }) => body)).toEqual([{ password: PASSWORD }]);
    await focusOn(() => drawer.getByRole('button', { name: 'Resume…' }));
    api.once('resumeAnyKey', () => (key = { ...key, pausedUntil: null }));
    await press('Resume…', drawer);
    await type('Your password', PASSWORD);
    await press('Resume key', await dialog('Resume “CI deploy”?'));
    await screen.findByText('“CI deploy” works again');
    await focusOn(() => drawer.getByRole('button', { name: 'Pause it for an hour' }));
    // Somebody else has ended it.
    key = { ...key, status: 'revoked', revokedAt: iso(0), revokedReason: 'owner' };
    api.once('pauseAnyKey', new Refusal(409, 'api_key_not_active', { apiKeyStatus: 'revoked' }));
    await press('Pause it for an hour', drawer);
    await screen.findByText(/^Its owner revoked this key/);
    await focusOn(() => drawer.getByRole('heading', { name: 'CI deploy' }));
  });

  test('have the focus on their name once they turn out to have ended, instead of being resumed', async () => {
    key = { ...key, pausedUntil: iso(HOUR_MS) };
    open(`tab=all-keys&key=${key.id}`);
    const drawer = await dialog('CI deploy');
    await press('Resume…', drawer);
    await type('Your password', PASSWORD);
    key = { ...key, status: 'revoked', revokedAt: iso(0), revokedReason: 'owner' };
    api.once('resumeAnyKey', new Refusal(409, 'api_key_not_active', { apiKeyStatus: 'revoked' }));
    await press('Resume key', await dialog('Resume “CI deploy”?'));
    await screen.findByText('“CI deploy” had already ended');
    await isGone(() => screen.queryByRole('dialog', { name: 'Resume “CI deploy”?' }));
    await focusOn(() => drawer.getByRole('heading', { name: 'CI deploy' }));
  });

  test('report a missing password and a note that is too long at their fields, without a request', async () => {
    open(`tab=all-keys&key=${key.id}`);
    await press('Revoke key…', await dialog('CI deploy'));
    const form = await dialog('Revoke “CI deploy”?');
    await type('Note (optional)', 'n'.repeat(201));
    await press('Revoke key', form);
    await form.findByText('Use at most 200 characters');
    form.getByText('Enter your password');
    await focusOn(() => field('Note (optional)'));
    expect(api.calls('endKey')).toHaveLength(0);
  });
});

test('several keys are ended with one confirmation that names them, with a result for each', async () => {
  const keys = [1, 2, 3].map((n) => ({
    ...key,
    ...anApiKey({ name: `Job ${n}`, lastUsedAt: n === 1 ? iso(-3.05 * HOUR_MS) : null }),
  }));
  const ended = { ...key, ...anApiKey({ name: 'Former', status: 'revoked', revokedAt: iso(-1) }) };
  api.always('findKeys', () => page([...keys, ended]));
  open('tab=all-keys');
  for (const { name } of keys) await user.click(await screen.findByRole('checkbox', { name: `Select “${name}”` }));
  expect((await row('Former')).queryByRole('checkbox')).toBeNull();
  // The boxes come first, and the one at their head takes or drops all.
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all' });
  expect(screen.getAllByRole('checkbox')[0]).toBe(all);
  const [first] = screen.getByRole('rowheader', { name: /^Job 1/ }).parentElement!.children;
  expect(first!.querySelector('input')).toBe(screen.getByRole('checkbox', { name: 'Select “Job 1”' }));
  expect(all.checked).toBe(true);
  await user.click(all);
  expect(screen.queryByRole('button', { name: /^Revoke \d/ })).toBeNull();
  await user.click(screen.getByRole('checkbox', { name: 'Select “Job 1”' }));
  expect([all.checked, all.indeterminate]).toEqual([false, true]);
  await user.click(all);
  expect((await button('Revoke 3 keys…')).getAttribute('data-variant')).toBe('outline');
  await press('Revoke 3 keys…');
  const form = await dialog('Revoke 3 keys?');
  for (const { name } of keys) form.getByText(name);
  expect(form.getAllByText('Used 3 hours ago')).toHaveLength(1);
  expect(form.getAllByText(/Never used/)).toHaveLength(2);
  expect(form.getAllByText(/Ada Lovelace/)).toHaveLength(3);
  await press('Revoke 3 keys', form);
  form.getByText('Enter your password');
  await type('Note (optional)', 'Laptop stolen');
  await type('Your password', PASSWORD);
  api.once('endKeys', new Refusal(403, 'incorrect_password'));
  await press('Revoke 3 keys', form);
  await waitFor(() => expect(field('Your password').value).toBe(''));
  await type('Your password', PASSWORD);
  const [one, two, three] = keys.map(({ id }) => id);
  let answer = () => {};
  const result = {
    revoked: [one!],
    failed: [
      { id: two!, code: 'api_key_not_active' },
      { id: three!, code: 'unavailable' },
    ],
  };
  api.once('endKeys', () => new Promise((resolve) => (answer = () => resolve(result))));
  await press('Revoke 3 keys', form);
  await waitFor(() => expect(api.calls('endKeys')).toHaveLength(2));
  // Nobody looks away from what is done.
  await user.keyboard('{Escape}');
  expect(screen.getByRole('dialog', { name: 'Revoke 3 keys?' })).toBeTruthy();
  answer();
  await screen.findByRole('dialog', { name: '2 of 3 have ended' });
  // Said once on the screen, and once to screen readers.
  expect(screen.getAllByText('2 of 3 have ended').map((each) => each.closest('[role="dialog"]') !== null)).toEqual([
    true,
    true,
  ]);
  for (const text of ['Revoked', 'Had already ended', /^Not revoked: /]) form.getByText(text);
  expect(api.calls('endKeys').at(-1)!.body).toEqual({
    ids: [one, two, three],
    note: 'Laptop stolen',
    password: PASSWORD,
  });
  await user.click(form.getAllByRole('button', { name: 'Close' }).at(-1)!);
  await isGone(() => screen.queryByRole('dialog'));
  (await row('Job 1')).getByText('Revoked');
});

test('several keys are paused for an hour without a confirmation, and stay selected', async () => {
  const [one, two] = ['Job 1', 'Job 2'].map((name) => ({ ...key, ...anApiKey({ name }) }));
  api.always('findKeys', () => page([one!, two!]));
  open('tab=all-keys');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  const pause = ({ id, body: { minutes } }: MadeCall) => ({
    ...(id === one!.id ? one! : two!),
    pausedUntil: iso(minutes * MINUTE_MS),
  });
  api.once('pauseAnyKey', pause).once('pauseAnyKey', new Refusal(409, 'api_key_not_active'));
  await press('Pause for an hour');
  await screen.findByText('1 of 2 keys is paused. “Job 2” had already ended.');
  api.always('pauseAnyKey', pause);
  await press('Pause for an hour');
  await screen.findByText('2 keys are paused');
  for (const name of ['Job 1', 'Job 2']) (await row(name)).getByText('Paused');
  await button('Revoke 2 keys…');
});

test('the focus is on the button that closes once all selected keys have ended, and then on the heading', async () => {
  open('tab=all-keys');
  await user.click(await screen.findByRole('checkbox', { name: 'Select “CI deploy”' }));
  await press('Revoke 1 key…');
  const form = await dialog('Revoke 1 key?');
  await type('Your password', PASSWORD);
  api.once('endKeys', { revoked: [key.id], failed: [] });
  await press('Revoke 1 key', form);
  await screen.findAllByText('1 of 1 have ended');
  await focusOn(() => form.getAllByRole('button', { name: 'Close' }).at(-1)!);
  await user.keyboard('{Enter}');
  await isGone(() => screen.queryByRole('dialog'));
  await focusOn(() => screen.getByRole('heading', { name: 'API keys' }));
});

describe('the audit view', () => {
  test('searches nothing while somebody types or leaves a field, and never sends a key', async () => {
    open('tab=audit');
    await screen.findByLabelText(WHO);
    await waitFor(() => expect(api.calls('findEvents')).toHaveLength(1));
    const before = made();
    for (const label of [WHO, 'Account affected']) {
      if (label !== WHO) await openFilters();
      await user.type(field(label), 'ada');
      await user.tab();
      await user.clear(field(label));
      await user.paste(FULL_KEY);
      await user.keyboard('{Enter}');
      expect(field(label).value).toBe('');
    }
    expect(made()).toBe(before);
    expect(document.documentElement.outerHTML).not.toContain(FULL_KEY.slice(0, 17));
  });

  test('finds the events of a key by its ID, and shows its filters', async () => {
    api.always('findAccounts', { items: [] });
    open('tab=audit&actor=service:jobs');
    await type(WHO, 'not an id');
    await user.keyboard('{Enter}');
    await screen.findByText('No account with this email or ID');
    await type(WHO, key.id.toUpperCase());
    await user.keyboard('{Enter}');
    await waitFor(() => expect(api.calls('findEvents').at(-1)!.query).toEqual({ actor: 'service:jobs', key: key.id }));
    await press('Remove filter: Who did it: service:jobs');
    await waitFor(() => expect(api.calls('findEvents').at(-1)!.query).toEqual({ key: key.id }));
  });
});
