/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { act } from '@testing-library/react/pure';
import { step } from '../src/base/address';
import { NoAnswer, Refusal, ScriptedApi, SECRET } from './support/api';
import { anApiKey, DAY_MS } from './support/keys';
import {
  button,
  choose,
  chooseAction,
  fillCreate,
  focusOn,
  isChosen,
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
  waitFor,
  within,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

/** As the browser writes it. */
const dayIn = (days: number) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(Date.now() + days * DAY_MS);

const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describe('the form for a new key', () => {
  test('reports a missing or wrong value at its field without a request, and focuses the first such field', async () => {
    openPanel();
    await openCreate();
    await press('Create key');
    const name = await screen.findByRole('textbox', { name: 'Name', description: /Give the key a name/ });
    await focusOn(() => name);
    expect(name.getAttribute('aria-invalid')).toBe('true');
    screen.getByText('Enter your password');
    await fillCreate();
    // An error ends with its cause.
    expect(screen.queryByText('Give the key a name')).toBeNull();
    expect(screen.queryByText('Enter your password')).toBeNull();
    const note = screen.getByLabelText('Note (optional)');
    await type('Note (optional)', 'x'.repeat(201));
    await choose('Custom');
    await type('Expiration date', '');
    await press('Create key');
    await screen.findByRole('textbox', { name: 'Note (optional)', description: /Use at most 200 characters/ });
    await focusOn(() => note);
    await user.clear(note);
    await press('Create key');
    await screen.findByText('Choose a day from tomorrow to a year from now');
    await focusOn(() => screen.getByLabelText('Expiration date'));
    expect(api.calls('createKey')).toHaveLength(0);
  });

  test('is a sentence about the key, whose words open their fields, and so does an error there', async () => {
    openPanel();
    await press('Create your first API key');
    const form = within(await screen.findByRole('dialog', { name: 'Create API key' }));
    const words = () => form.getAllByRole('button', { expanded: false }).map(({ textContent }) => textContent);
    expect(words()).toEqual(['read everything you can', 'for 90 days', 'from anywhere', 'Add a note']);
    expect(screen.queryByRole('radio')).toBeNull();
    await press('Expires in: for 90 days, change', form);
    await focusOn(() => screen.getByRole('radio', { name: '90 days' }));
    await choose('7 days');
    await press('Expires in: for 7 days, change', form);
    expect(screen.queryByRole('radio')).toBeNull();
    await press('Allowed networks: from anywhere, change', form);
    await focusOn(() => screen.getByLabelText('Allowed networks'));
    await type('Allowed networks', 'nowhere');
    await press('Allowed networks: from 1 network, change', form);
    await fillCreate();
    await press('Create key', form);
    const networks = await screen.findByRole('textbox', { name: 'Allowed networks', description: /nowhere/ });
    await focusOn(() => networks);
    await user.clear(networks);
    await press('Access: read everything you can, change', form);
    await choose('Read and write');
    expect(words()).toEqual(['for 7 days', 'Add a note']);
    form.getByRole('button', { name: 'Access: read and write everything you can, change', expanded: true });
    await press('Create key', form);
    await shownKey();
    expect(api.calls('createKey')[0]!.body).toEqual({
      name: 'CI deploy',
      access: 'read-and-write',
      expiresInDays: 7,
      password: PASSWORD,
    });
  });

  test('is filled in by a link, which opens it once, and never with more than the person may give', async () => {
    api.permissions = ['systems:read', 'systems:write'];
    history.replaceState(
      null,
      '',
      '?new&name=CI%09deploy&permissions=systems/7:read,systems:write,a:call,Call%20me:now!&days=30',
    );
    openPanel();
    const form = within(await screen.findByRole('dialog', { name: 'Create API key' }));
    await form.findByRole('button', { name: 'Access: read systems 7, change', expanded: true });
    form.getByText(
      /^Left out, because you can’t give it: a:call\. Left out, because a read-only key can only read: systems:write\.$/,
    );
    form.getByRole('button', { name: 'Expires in: for 30 days, change' });
    form.getByText('A link filled in this form. Check it before you create the key.');
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('CI deploy');
    expect(location.search).toBe('');
    await press('Cancel', form);
    await isGone(() => screen.queryByRole('dialog'));
    await openCreate();
    expect(isChosen('90 days')).toBe(true);
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('');
    expect(screen.queryByText(/^A link filled in/)).toBeNull();
  });

  test('says nothing of a link until it knows what the person may give, and opens whatever the link names', async () => {
    api.permissions = ['a:read', 'a/1:write'];
    history.replaceState(null, '', '?new&access=read-and-write&permissions=a:constructor,a:toString,a/1:read');
    const answer = api.hold('getPermissions');
    openPanel();
    const form = within(await screen.findByRole('dialog', { name: 'Create API key' }));
    form.getByRole('button', { name: 'Access: use 3 permissions, change' });
    answer();
    await form.findByRole('button', { name: 'Access: read a 1, change' });
    form.getByText('Left out, because you can’t give it: a:constructor, a:toString.');
  });

  test('is filled in by each link, except while it is open', async () => {
    const follow = (search: string) => act(() => step(search, false));
    api.keys = [anApiKey()];
    openPanel();
    await button('Create API key');
    const name = () => screen.getByLabelText<HTMLInputElement>('Name').value;
    follow('?new&name=One');
    const form = within(await screen.findByRole('dialog', { name: 'Create API key' }));
    follow('?new&name=Two');
    await waitFor(() => expect(location.search).toBe(''));
    expect(name()).toBe('One');
    await press('Cancel', form);
    await isGone(() => screen.queryByRole('dialog'));
    follow('?new&name=Two');
    await screen.findByRole('dialog', { name: 'Create API key' });
    expect(name()).toBe('Two');
  });

  test('makes spaces of pasted tabs and lines in a name and a note, which the service would refuse', async () => {
    openPanel();
    await openCreate();
    await fillCreate({ name: 'CI\tdeploy\u2028x' });
    await type(/^Note/, 'one\ttwo');
    await press('Create key');
    await shownKey();
    expect(api.calls('createKey')[0]!.body).toMatchObject({ name: 'CI deploy x', note: 'one two' });
  });

  test('shows what only the service finds at its field too', async () => {
    const errors = [{ field: 'name', message: 'must not contain control characters' }];
    api.once('createKey', new Refusal(400, 'invalid_fields', { errors }));
    openPanel();
    await openCreate();
    await fillCreate();
    await press('Create key');
    const name = await screen.findByRole('textbox', { name: 'Name', description: /This must not contain control/ });
    await focusOn(() => name);
  });

  test('has the field of the name that a browser saved with the password, and so do the other forms that need it', async () => {
    api.keys = [anApiKey()];
    openPanel();
    /** The text field before the password. Browsers fill it in, and none takes it into the note. */
    const named = async () => {
      const password = await screen.findByLabelText<HTMLInputElement>('Your password');
      const fields = [...password.form!.querySelectorAll<HTMLInputElement>('input, textarea')];
      const texts = fields.filter((field) => ['text', 'email', 'password', 'textarea'].includes(field.type));
      const { autocomplete, value } = texts[texts.indexOf(password) - 1]!;
      return [autocomplete, value];
    };
    await openCreate();
    expect(await named()).toEqual(['username', 'ada@example.com']);
    await press('Cancel');
    await isGone(() => screen.queryByLabelText('Your password'));
    for (const action of ['Rotate…', 'It leaked…']) {
      await chooseAction('CI deploy', action);
      expect(await named()).toEqual(['username', 'ada@example.com']);
      await press('Cancel');
      await isGone(() => screen.queryByLabelText('Your password'));
    }
  });

  test('says what no key can do, and the day on which the key expires', async () => {
    openPanel();
    await openCreate();
    const never = 'Keys can never delete permanently, manage keys, change account settings or act as someone else.';
    screen.getByRole('group', { name: 'Permissions', description: new RegExp(`own permissions change\\. ${never}$`) });
    await fillCreate();
    await type('Note (optional)', 'Deploys the shop');
    screen.getByText(`Expires on ${dayIn(90)}.`);
    for (const days of [7, 30, 60, 365]) {
      await choose(`${days} days`);
      screen.getByText(`Expires on ${dayIn(days)}.`);
    }
    // The service sends no mail.
    expect(screen.queryByText(/We’ll email you/)).toBeNull();
    await choose('Custom');
    await type('Expiration date', dateIn(12));
    screen.getByText(`Expires on ${dayIn(12)}, in 12 days.`);
    await press('Create key');
    await shownKey();
    expect(api.calls('createKey')[0]!.body).toEqual({
      name: 'CI deploy',
      note: 'Deploys the shop',
      access: 'read-only',
      expiresInDays: 12,
      password: PASSWORD,
    });
  });

  test('says when a mail comes before the key expires, if the service sends one', async () => {
    api.session = { ...api.session!, expiryNoticeDays: [30, 7, 1] };
    openPanel();
    await openCreate();
    await screen.findByText(/We’ll email you 30, 7, and 1 days before\./);
    await choose('7 days');
    await screen.findByText(/We’ll email you the day before\./);
  });

  test('takes the day on which the key ends by the clock of the service, where the browser’s is 40 days behind', async () => {
    api.aheadMs = 40 * DAY_MS;
    openPanel();
    await openCreate();
    await fillCreate();
    await choose('Custom');
    await type('Expiration date', dateIn(52));
    screen.getByText(`Expires on ${dayIn(52)}, in 12 days.`);
    await press('Create key');
    await shownKey();
    await screen.findByText(`Expires on ${dayIn(52)}.`);
    expect(api.calls('createKey')[0]!.body.expiresInDays).toBe(12);
  });

  test('reports an incorrect password at its field and removes it, and everything else stays', async () => {
    api.once('createKey', new Refusal(403, 'incorrect_password'));
    openPanel();
    await openCreate();
    await fillCreate({ name: 'Backup script', password: 'wrong' });
    await choose('Read and write');
    await choose('30 days');
    await press('Create key');
    await screen.findByText('Incorrect password');
    const password = screen.getByLabelText<HTMLInputElement>('Your password');
    await focusOn(() => password);
    expect(password.value).toBe('');
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Backup script');
    expect(isChosen('Read and write')).toBe(true);
    expect(isChosen('30 days')).toBe(true);
    await type('Your password', PASSWORD);
    await user.keyboard('{Enter}');
    await shownKey();
    expect(api.keys).toMatchObject([{ name: 'Backup script', access: 'read-and-write' }]);
  });

  test.each([
    ['too_many_active_keys', 409, {}, /This service allows 5 active keys\. Revoke one/],
    ['too_many_changes', 429, { 'retry-after': '1500' }, /too many keys within an hour\. Try again in 25 minutes/],
  ])('reports %s above its buttons, and what was typed stays', async (code, status, headers, words) => {
    api.once('createKey', new Refusal(status, code, {}, headers));
    openPanel();
    await openCreate();
    await fillCreate({ name: 'One more' });
    await press('Create key');
    within(await screen.findByRole('alert')).getByText(words);
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('One more');
  });

  test('says that a sign-in may be needed, until a notice says that it is', async () => {
    api.session = { ...api.session!, confirmation: 'fresh-sign-in' };
    openPanel();
    await openCreate();
    const hint = () => screen.queryByText(/^You may have to sign in again/);
    expect(hint()).not.toBeNull();
    await type('Name', 'CI deploy');
    api.once('createKey', new Refusal(409, 'too_many_active_keys'));
    await press('Create key');
    await screen.findByText(/^This service allows 5 active keys/);
    expect(hint()).not.toBeNull();
    api.once('createKey', new Refusal(401, 'confirmation_required'));
    await press('Create key');
    within(await screen.findByRole('alert')).getByText(/^Your sign-in is not recent or strong enough/);
    expect(hint()).toBeNull();
  });

  test('only warns of a name that an active key has, and keeps all but the password when it is closed', async () => {
    api.keys = [anApiKey({ name: 'Backup script', prefix: 'lk_7c1f4e0a9b2d' })];
    openPanel();
    await openCreate();
    await type('Name', ' backup script');
    const warning = /You already have an active key named “Backup script” \(lk_7c1f4e0a9b2d\)/;
    await screen.findByText(warning);
    await fillCreate({ name: 'Half typed' });
    await isGone(() => screen.queryByText(warning));
    await user.keyboard('{Escape}');
    await isGone(() => screen.queryByRole('dialog'));
    await openCreate();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Half typed');
    expect(screen.getByLabelText<HTMLInputElement>('Your password').value).toBe('');
    await fillCreate({ name: 'Backup script' });
    await press('Create key');
    await shownKey();
    expect(api.keys).toHaveLength(2);
  });

  test('sends one request after a double click, and is kept open until it is answered', async () => {
    const answer = api.hold('createKey');
    openPanel();
    await openCreate();
    await fillCreate();
    await user.dblClick(screen.getByRole('button', { name: 'Create key' }));
    await user.type(screen.getByLabelText('Your password'), '{Enter}');
    await user.keyboard('{Escape}');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true);
    screen.getByRole('dialog', { name: 'Create API key' });
    answer();
    await shownKey();
    expect(api.calls('createKey')).toHaveLength(1);
  });

  test('is not opened before the list of keys is loaded', async () => {
    const answer = api.hold('listKeys');
    openPanel();
    const create = await screen.findByRole('button', { name: 'Create API key' });
    expect(create.getAttribute('aria-disabled')).toBe('true');
    await user.click(create);
    answer();
    await button('Create your first API key');
    expect(screen.queryByRole('dialog')).toBeNull();
    await openCreate();
  });
});

describe('a lost answer', () => {
  test('is asked for again under the same Idempotency-Key, and the key whose secret was lost is replaced', async () => {
    api.once('createKey', async () => {
      api.keys = [anApiKey()];
      return new NoAnswer();
    });
    api.once('createKey', () => new Refusal(409, 'idempotency_key_reused', { apiKeyId: api.keys[0]!.id }));
    openPanel();
    await openCreate();
    await fillCreate();
    await choose('7 days');
    await press('Create key');
    await screen.findByText('The new key was created, but we couldn’t show it to you');
    screen.getByText(/The answer with “CI deploy” was lost on the way/);
    const again = await button('Revoke it and create it again');
    await focusOn(() => again);
    await user.keyboard('{Enter}');
    await shownKey();
    const keys = api.calls('createKey').map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{32,}$/);
    expect([keys[1] === keys[0], keys[2] === keys[0], keys.length]).toEqual([true, false, 3]);
    expect(api.keys.map(({ status }) => status)).toEqual(['active', 'revoked']);
    expect(api.calls('createKey')[2]!.body.expiresInDays).toBe(7);
  });

  test('of a request that never arrives is reported after retries, and what was typed stays for another try', async () => {
    api.always('createKey', new NoAnswer());
    openPanel();
    await openCreate();
    await fillCreate({ name: 'Backup script' });
    await press('Create key');
    await screen.findByText('Still trying. Nothing happens twice.');
    await screen.findByText(/Nothing you typed is lost\. Try again: nothing happens twice\./);
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Backup script');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    api.always('createKey', () => ({ apiKey: anApiKey(), fullKey: `lk_1.${SECRET}` }));
    await press('Create key');
    await shownKey();
    const keys = api.calls('createKey').map(({ headers }) => headers['idempotency-key']);
    expect(keys.length).toBeGreaterThan(2);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('limits of the account', () => {
  const LIMITS = { maxActiveKeys: 2, maxKeyDays: 30, maxAccess: 'read-only' } as const;
  const byAccount = { ...LIMITS, newKeys: true, limitedByAccount: Object.keys(LIMITS) };

  test.each([
    ['Your organisation', byAccount],
    ['This service', { ...byAccount, limitedByAccount: [] }],
  ])('leave only what is allowed, with the reason: %s', async (who, policy) => {
    api.policy = policy;
    openPanel();
    await openCreate();
    const reason = `${who} allows read-only keys.`;
    screen.getByRole('group', { name: 'Access', description: new RegExp(`^${reason}`) });
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Read and write' }).disabled).toBe(true);
    const days = screen.getAllByRole<HTMLInputElement>('radio').filter(({ name }) => name === 'preset');
    expect(days.map(({ value }) => value)).toEqual(['7', '30', 'custom']);
    expect(isChosen('30 days')).toBe(true);
    screen.getByText(new RegExp(`^${who} allows keys of at most 30 days\\. Expires on `));
    await fillCreate();
    await choose('Custom');
    const date = screen.getByLabelText('Expiration date');
    expect([date.getAttribute('min'), date.getAttribute('max')]).toEqual([dateIn(1), dateIn(30)]);
    await type('Expiration date', dateIn(31));
    await press('Create key');
    await screen.findByText(`${who} allows keys of at most 30 days.`);
    expect(api.calls('createKey')).toHaveLength(0);
    await type('Expiration date', dateIn(30));
    await press('Create key');
    await shownKey();
    expect(api.calls('createKey')[0]!.body).toMatchObject({ access: 'read-only', expiresInDays: 30 });
  });

  test('that were set while the form was open are shown, and what was typed stays', async () => {
    openPanel();
    await openCreate();
    await fillCreate();
    await choose('Read and write');
    api.policy = byAccount;
    const errors = [{ field: 'access', message: 'must be read-only: the limits of this account allow no more' }];
    api.once('createKey', new Refusal(400, 'invalid_fields', { errors }));
    await press('Create key');
    await screen.findByText('This must be read-only: the limits of this account allow no more');
    await screen.findByText('Your organisation allows read-only keys.');
    expect(isChosen('Read-only')).toBe(true);
    expect(isChosen('30 days')).toBe(true);
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('CI deploy');
  });

  test('are read in German', async () => {
    api.policy = byAccount;
    openPanel({ language: 'de' });
    await press('Ersten API-Schlüssel erstellen');
    await openTerms();
    await button('Zugriff: alles lesen, was Sie können, ändern');
    await screen.findByText('Ihre Organisation erlaubt nur Schlüssel zum Lesen.');
    screen.getByText(/^Ihre Organisation erlaubt Schlüssel für höchstens 30 Tage\. /);
  });

  test('explain why the button for a new key opens nothing, and let a key be rotated even above them', async () => {
    api.policy = { ...byAccount, maxActiveKeys: 1 };
    api.keys = [anApiKey({ name: 'one' }), anApiKey({ name: 'two' })];
    openPanel();
    const description = 'Your organisation allows 1 active key. Revoke one that you no longer need, then try again.';
    const create = await screen.findByRole('button', { name: 'Create API key', description });
    expect(create.getAttribute('aria-disabled')).toBe('true');
    create.focus();
    await user.keyboard('{Enter}');
    await user.click(create);
    expect(screen.queryByRole('dialog')).toBeNull();
    screen.getByText('2 active keys, 1 allowed');
    await chooseAction('one', 'Rotate…');
    await type('Your password', PASSWORD);
    await press('Rotate key');
    expect(await shownKey()).toMatch(/^lk_/);
  });
});
