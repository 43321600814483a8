/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { App } from '../src/page/App';
import { NoAnswer, Refusal, ScriptedApi } from './support/api';
import { anApiKey, aRevokedKey, DAY_MS, iso } from './support/keys';
import {
  chooseAction,
  dialog,
  fillCreate,
  focusOn,
  isGone,
  openCreate,
  openPage,
  PASSWORD,
  press,
  row,
  screen,
  shownKey,
  type,
  user,
  within,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

/** Ends the session in the service. */
function endSession(): void {
  const { session } = api;
  api.session = undefined;
  api.always('signIn', ({ body }) => {
    if (body.password !== PASSWORD) return new Refusal(401, 'invalid_credentials');
    api.session = session;
    return undefined;
  });
}

const password = () => screen.getByLabelText<HTMLInputElement>('Password');

describe('the sign-in', () => {
  test.each([
    ['en', 'Sign in', 'Email', 'Enter your email'],
    ['de', 'Anmelden', 'E-Mail-Adresse', 'Geben Sie Ihre E-Mail-Adresse ein'],
  ] as const)('reports empty fields without a request: %s', async (language, submit, label, words) => {
    endSession();
    openPage(<App />, language);
    const email = await screen.findByLabelText(label);
    await focusOn(() => email);
    await press(submit);
    await screen.findByText(words);
    await focusOn(() => email);
    expect(email.getAttribute('aria-invalid')).toBe('true');
    expect(api.calls('signIn')).toHaveLength(0);
  });

  test('removes a wrong password and focuses its field, then shows the keys', async () => {
    api.keys = [anApiKey()];
    endSession();
    openPage(<App />);
    await type('Email', 'ada@example.com');
    await type('Password', 'wrong');
    await press('Sign in');
    within(await screen.findByRole('alert')).getByText('Incorrect email or password');
    await focusOn(password);
    expect(password().value).toBe('');
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('ada@example.com');
    await type('Password', PASSWORD);
    await press('Sign in');
    await row('CI deploy');
    screen.getByText('Ada Lovelace');
    await press('Sign out');
    await screen.findByRole('heading', { name: 'Sign in to Latchkey' });
    expect(screen.queryByText('CI deploy')).toBeNull();
  });
});

test.each([
  ['when the service can’t be reached', new NoAnswer(), /^The service can’t be reached/],
  ['after too many attempts', new Refusal(429, 'too_many_attempts', {}, { 'retry-after': '90' }), /Try again in 2 min/],
])('a sign-in that fails keeps the password %s, so that another try takes one click', async (_, answer, words) => {
  endSession();
  api.once('signIn', answer);
  openPage(<App />);
  await type('Email', 'ada@example.com');
  await type('Password', PASSWORD);
  await press('Sign in');
  within(await screen.findByRole('alert')).getByText(words);
  await press('Sign in');
  await screen.findByRole('heading', { name: 'No API keys yet' });
});

describe('a session that ends while the page is open', () => {
  test('is renewed over the form, which keeps what was typed and creates the key after it', async () => {
    openPage(<App />);
    await openCreate();
    await fillCreate({ name: 'Backup script' });
    endSession();
    await press('Create key');
    const again = await dialog('Sign in again');
    expect(again.getByLabelText<HTMLInputElement>('Email').value).toBe('ada@example.com');
    await type('Password', 'wrong');
    await press('Sign in', again);
    await again.findByText('Incorrect email or password');
    await type('Password', PASSWORD);
    await press('Sign in', again);
    await shownKey();
    expect(api.keys).toMatchObject([{ name: 'Backup script' }]);
  });

  test('is renewed when the person comes back to the page, or else leads to the sign-in page without keys', async () => {
    api.keys = [aRevokedKey({ name: 'Old' })];
    openPage(<App />);
    await screen.findByText(/^No active keys\./);
    endSession();
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    const again = await dialog('Sign in again');
    api.keys = [...api.keys, aRevokedKey({ name: 'Older' })];
    await type('Password', PASSWORD);
    await press('Sign in', again);
    await screen.findByRole('button', { name: 'Ended (2)' });
    await isGone(() => screen.queryByRole('dialog'));
    endSession();
    await user.click(screen.getByRole('tab', { name: 'Activity' }));
    await press('Close', await dialog('Sign in again'));
    await screen.findByRole('heading', { name: 'Sign in to Latchkey' });
    expect(screen.queryByRole('heading', { name: 'API keys' })).toBeNull();
  });
});

test('nobody is asked to sign in again while a new key is shown, because giving up would lose it', async () => {
  api.keys = [anApiKey()];
  openPage(<App />);
  await openCreate();
  await fillCreate();
  await press('Create key');
  const key = await shownKey();
  endSession();
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  await screen.findByText('Your keys could not be refreshed');
  expect(screen.queryByRole('dialog', { name: 'Sign in again' })).toBeNull();
  expect(await shownKey()).toBe(key);
  await press('Copy key');
  await screen.findByRole('button', { name: 'Copied' });
  await press('Done');
  await dialog('Sign in again');
});

describe('a page of one person, while another signs in in another window', () => {
  const another = (): Refusal => {
    api.session = { ...api.session!, ownerId: 'grace', displayName: 'Grace Hopper', email: 'grace@example.com' };
    api.keys = [anApiKey({ name: 'Key of Grace' })];
    return new Refusal(409, 'another_person');
  };
  const expectAnother = async () => {
    await screen.findByText('You’re signed in with another account now');
    await row('Key of Grace');
    expect(screen.queryByText('Key of Ada')).toBeNull();
    screen.getByText('Grace Hopper');
  };

  test('names its person with each change, revokes nothing, and shows who is signed in', async () => {
    api.keys = [anApiKey({ name: 'Key of Ada' })];
    api.once('revokeKey', another);
    openPage(<App />);
    await chooseAction('Key of Ada', 'Revoke…');
    await user.click(await screen.findByLabelText('Yes, revoke it permanently'));
    await press('Revoke key');
    await expectAnother();
    expect(api.calls('revokeKey').map(({ headers }) => headers['latchkey-person'])).toEqual(['ada']);
  });

  test('creates nothing, and drops what was typed', async () => {
    api.keys = [anApiKey({ name: 'Key of Ada' })];
    api.once('createKey', another);
    openPage(<App />);
    await openCreate();
    await fillCreate({ name: 'For Ada' });
    await press('Create key');
    await expectAnother();
    await openCreate();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('');
    expect(api.calls('createKey').map(({ headers }) => headers['latchkey-person'])).toEqual(['ada']);
  });
});

describe('revoking a key', () => {
  const reachQuestion = async () => {
    api.keys = [anApiKey({ prefix: 'lk_7c1f4e0a9b2d', lastUsedAt: iso(-0.1 * DAY_MS) })];
    openPage(<App />);
    await chooseAction('CI deploy', 'Revoke…');
    return dialog('Revoke “CI deploy”?');
  };

  test('names the key and the consequence, and does nothing before the box is ticked', async () => {
    const question = await reachQuestion();
    question.getByText(/Everything that uses this key stops working at once/);
    question.getByText(/lk_7c1f4e0a9b2d/);
    question.getByText('It was used within the last day, so something probably still needs it.');
    await press('Revoke key', question);
    await question.findByText('Tick the box to confirm');
    await focusOn(() => question.getByLabelText('Yes, revoke it permanently'));
    expect(api.calls('revokeKey')).toHaveLength(0);
    await press('Cancel', question);
    await isGone(() => screen.queryByRole('dialog'));
    await focusOn(() => screen.getByRole('button', { name: 'Actions for CI deploy' }));
  });

  test('says that the key is being stopped everywhere until the service answers, and sends one request', async () => {
    const question = await reachQuestion();
    const answer = api.hold('revokeKey');
    await user.click(question.getByLabelText('Yes, revoke it permanently'));
    expect(question.queryByText('Stopping it everywhere…')).toBeNull();
    await press('Revoke key', question);
    await question.findByText('Stopping it everywhere…');
    await user.keyboard('{Enter}');
    expect(question.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true);
    answer();
    await screen.findByText('“CI deploy” was revoked');
    await screen.findByText(/^No active keys\./);
    expect(api.calls('revokeKey')).toHaveLength(1);
    await focusOn(() => screen.getByRole('heading', { name: 'API keys' }));
  });

  test.each([
    ['en', 'revoked', '“CI deploy” had already been revoked'],
    ['en', 'expired', '“CI deploy” had already expired'],
    ['de', 'revoked', '„CI deploy“ war schon widerrufen'],
    ['de', 'expired', '„CI deploy“ war schon abgelaufen'],
  ] as const)('is no error where somebody else was faster (%s, %s)', async (language, status, message) => {
    api.keys = [anApiKey()];
    openPage(<App />, language);
    const [actions, choice, tick, submit] =
      language === 'en'
        ? ['Actions for CI deploy', 'Revoke…', 'Yes, revoke it permanently', 'Revoke key']
        : ['Aktionen für CI deploy', 'Widerrufen…', 'Ja, endgültig widerrufen', 'Widerrufen'];
    await press(actions);
    await user.click(await screen.findByRole('menuitem', { name: choice }));
    const question = within(await screen.findByRole('dialog'));
    api.change(api.keys[0]!.id, { status, ...(status === 'revoked' && { revokedAt: iso(0), revokedReason: 'owner' }) });
    api.once('revokeKey', new Refusal(409, 'api_key_not_active', { apiKeyStatus: status }));
    await user.click(question.getByLabelText(tick));
    await press(submit, question);
    await screen.findByText(message);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('rotating a key', () => {
  test('offers how long the old key keeps working, and keeps its lifetime', async () => {
    api.keys = [anApiKey({ createdAt: iso(-DAY_MS), expiresAt: iso(29 * DAY_MS) })];
    openPage(<App />);
    await chooseAction('CI deploy', 'Rotate…');
    const form = await dialog('Rotate “CI deploy”');
    await focusOn(() => form.getByRole('radio', { name: 'After a day' }));
    expect(form.getByRole<HTMLInputElement>('radio', { name: '30 days' }).checked).toBe(true);
    form.getByText(/^The old key keeps working for a day after the first use of the new one\. It expires on /);
    await user.click(form.getByRole('radio', { name: 'At once' }));
    await form.findByText(/^The old key stops working with the first use of the new one\./);
    await user.click(form.getByRole('radio', { name: 'Custom' }));
    await type('Expiration date', '');
    await press('Rotate key', form);
    await form.findByText('Choose a day from tomorrow to a year from now');
    form.getByText('Enter your password');
    await user.click(form.getByRole('radio', { name: '7 days' }));
    await type('Your password', PASSWORD);
    await press('Rotate key', form);
    await shownKey();
    screen.getByText(/^Put it in place of the old key\. The old key stops working with the first use/);
    expect(api.calls('rotateKey')[0]!.body).toEqual({ graceSeconds: 0, expiresInDays: 7, password: PASSWORD });
  });

  test.each([
    ['rotation_pending', 'This key is already being rotated.'],
    ['api_key_not_active', 'This key has already ended'],
    ['api_key_paused', 'This key is paused now.'],
  ])('reports what another page did in the meantime: %s', async (code, words) => {
    api.keys = [anApiKey()];
    api.once('rotateKey', new Refusal(409, code));
    openPage(<App />);
    await chooseAction('CI deploy', 'Rotate…');
    await type('Your password', PASSWORD);
    await press('Rotate key');
    within(await screen.findByRole('alert')).getByText(new RegExp(`^${words}`));
  });

  test('replaces the new key whose answer was lost', async () => {
    api.keys = [anApiKey()];
    const old = api.keys[0]!;
    api.once('rotateKey', () => {
      api.keys = [anApiKey({ replaces: old.id }), { ...old, replacedBy: 'new' }];
      return new NoAnswer();
    });
    api.once('rotateKey', () => new Refusal(409, 'idempotency_key_reused', { apiKeyId: api.keys[0]!.id }));
    openPage(<App />);
    await chooseAction('CI deploy', 'Rotate…');
    await type('Your password', PASSWORD);
    await press('Rotate key');
    await screen.findByText('The new key was created, but we couldn’t show it to you');
    await press('Revoke it and rotate again');
    await shownKey();
    expect(api.calls('revokeKey').map(({ id }) => id)).toEqual([api.keys[1]!.id]);
    expect(api.key(old.id).status).toBe('active');
  });
});

// The texts of administrators are loaded once, in the language of the page: no other test here shows them.
test('an administrator ends several keys in German', async () => {
  api.session = { ...api.session!, isAdministrator: true };
  const owner = { id: 'bo', email: 'bo@example.com', displayName: 'Bo', kind: 'person', status: 'active' } as const;
  const keys = ['Job 1', 'Job 2'].map((name) => ({ ...anApiKey({ name }), owner }));
  api.always('findKeys', { items: keys, nextCursor: null, now: iso(0) });
  api.always('endKeys', { revoked: keys.map(({ id }) => id), failed: [] });
  history.replaceState(null, '', '/settings/api-keys?tab=all-keys');
  openPage(<App />, 'de');
  for (const { name } of keys) await user.click(await screen.findByRole('checkbox', { name: `„${name}“ auswählen` }));
  screen.getByText('2 ausgewählt');
  await press('2 Schlüssel widerrufen…');
  const form = await dialog('2 Schlüssel widerrufen?');
  form.getByRole('list', { name: 'Zu widerrufende Schlüssel' });
  await type('Ihr Passwort', PASSWORD);
  await press('2 Schlüssel widerrufen', form);
  await screen.findByRole('dialog', { name: '2 von 2 sind beendet' });
  expect(form.getAllByText('Widerrufen')).toHaveLength(2);
});
