/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Refusal, ScriptedApi } from './support/api';
import { anApiKey, aRevokedKey, DAY_MS, HOUR_MS, iso } from './support/keys';
import {
  chooseAction,
  dialog,
  focusOn,
  isGone,
  openPanel,
  PASSWORD,
  press,
  row,
  screen,
  type,
  user,
  waitFor,
  within,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

describe('renaming a key', () => {
  const shown = jest.fn<(this: Element, how: unknown) => void>();
  beforeEach(() => {
    shown.mockClear();
    Element.prototype.scrollIntoView = shown;
  });

  test('scrolls to the field of the name, which may be above what is in sight', async () => {
    api.keys = [anApiKey()];
    openPanel();
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    await screen.findByRole('dialog', { name: 'CI deploy' });
    await press('Edit name and note');
    const name = await screen.findByLabelText<HTMLInputElement>('Name');
    await focusOn(() => name);
    expect(shown.mock.contexts).toEqual([name]);
    expect(name.selectionEnd).toBe('CI deploy'.length);
  });

  test('takes the place of the title, which still names the details, and has the only main button', async () => {
    api.keys = [anApiKey({ createdAt: iso(-60 * DAY_MS), expiresAt: iso(2.1 * DAY_MS) })];
    openPanel();
    await user.click((await row('CI deploy')).getByRole('link'));
    const details = await dialog('CI deploy');
    await details.findByRole('button', { name: 'Rotate…' });
    await press('Edit name and note', details);
    const name = await details.findByLabelText('Name');
    const heading = details.getByRole('heading', { name: 'CI deploy' });
    expect(heading.nextElementSibling?.contains(name)).toBe(true);
    expect(details.queryByRole('button', { name: 'Rotate…' })).toBeNull();
    await press('Cancel', details);
    await details.findByRole('button', { name: 'Rotate…' });
  });
});

test('is renamed from its menu, to whose button the focus returns', async () => {
  api.keys = [anApiKey()];
  openPanel();
  await chooseAction('CI deploy', 'Edit name and note');
  await type('Name', 'CI release');
  await press('Save');
  await isGone(() => screen.queryByRole('dialog'));
  await focusOn(() => screen.queryByRole('button', { name: 'Actions for CI release' }));
});

test('a leaked key is replaced, which is announced, and no earlier result stays over that dialog', async () => {
  api.keys = [anApiKey({ lastUsedAt: iso(-HOUR_MS) })];
  openPanel();
  await chooseAction('CI deploy', 'Pause for an hour');
  await screen.findByText(/^“CI deploy” is paused and works again/);
  await chooseAction('CI deploy', 'It leaked…');
  const form = await dialog('Replace leaked “CI deploy”');
  await isGone(() => screen.queryByText(/^“CI deploy” is paused and works again/));
  await form.findByText(/^In the last 7 days: no request accepted/);
  await type('Your password', PASSWORD);
  await press('Replace key now');
  // Only for screen readers: a visible one would cover the new key.
  const news = await screen.findByText('“CI deploy” was replaced');
  expect(news.getAttribute('role')).toBe('status');
});

test('the usage of a key that may have leaked takes the place of the form that would replace it', async () => {
  api.keys = [anApiKey({ lastUsedAt: iso(-HOUR_MS) })];
  history.replaceState(null, '', '?status=all');
  openPanel();
  await chooseAction('CI deploy', 'It leaked…');
  await press('See its usage', await dialog('Replace leaked “CI deploy”'));
  await (await dialog('CI deploy')).findByRole('region', { name: 'Usage' });
  expect(screen.getAllByRole('dialog')).toHaveLength(1);
  expect(location.search).toMatch(/^\?status=all&key=/);
  await user.keyboard('{Escape}');
  await focusOn(() => screen.queryByRole('button', { name: 'Actions for CI deploy' }));
});

describe('a leaked key that needs no new one', () => {
  test('is revoked with this reason, and neither it nor the key that it had replaced needs attention', async () => {
    const reported = { revokedReason: 'leaked', leak: { source: 'scanner', url: null }, createdAt: iso(-9 * DAY_MS) };
    api.keys = [anApiKey({ lastUsedAt: iso(-HOUR_MS) }), aRevokedKey(reported)];
    openPanel();
    await chooseAction('CI deploy', 'It leaked…');
    await focusOn(() => screen.queryByLabelText('Your password'));
    await press('Only revoke it');
    const question = await dialog('Revoke “CI deploy” because it leaked?');
    expect(question.queryByText(/Pause|probably still needs it/)).toBeNull();
    await user.click(await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' }));
    await press('Revoke key');
    await isGone(() => screen.queryByRole('dialog'));
    expect(api.calls('revokeKey')[0]!.body).toEqual({ leaked: true });
    await screen.findByText(/^No active keys\./);
    expect(screen.queryByRole('button', { name: /^Create again/ })).toBeNull();
    expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull();
    within(await screen.findByRole('region', { name: 'Good to know' })).getByText(/Check what it did before/);
  });

  test('is one that its owner revoked for another reason: then no reason is sent', async () => {
    api.keys = [anApiKey()];
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    await user.click(await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' }));
    await press('Revoke key');
    await isGone(() => screen.queryByRole('dialog'));
    expect(api.calls('revokeKey')[0]!.body).toBeUndefined();
  });
});

test.each(['Revoke…', 'It leaked…'])(
  'what ends a key at once is a filled red button from the start: %s',
  async (action) => {
    api.keys = [anApiKey()];
    openPanel();
    await chooseAction('CI deploy', action);
    const form = within(await screen.findByRole('dialog'));
    const end = await form.findByRole('button', { name: /^(Revoke key|Replace key now)$/ });
    expect(end.style.getPropertyValue('--button-bg')).toContain('red');
  },
);

describe('a key that nobody dares to revoke', () => {
  beforeEach(() => {
    api.keys = [anApiKey()];
  });
  /** The buttons below the details. */
  const footer = async () => {
    const more = await screen.findByRole('button', { name: 'More actions' });
    const buttons = [...more.parentElement!.querySelectorAll(':scope > button')];
    return buttons.map((each) => each.getAttribute('aria-label') ?? each.textContent);
  };
  const pauses = () => api.calls('pauseKey').map(({ body }) => body);

  test('is paused from its menu, and says in its row until when, and when it expires; a shorter pause is not offered then', async () => {
    openPanel();
    await chooseAction('CI deploy', 'Pause for an hour');
    await screen.findByText(/^Paused until /);
    screen.getByText('in 3 months');
    await press('Actions for CI deploy');
    const longer = await screen.findAllByRole('menuitem', { name: /^Pause/ });
    expect(longer.map(({ textContent }) => textContent)).toEqual(['Pause for a day']);
    await user.click(longer[0]!);
    await screen.findByText(/^Paused until \w{3}.* [AP]M$/);
    expect(pauses()).toEqual([{ minutes: 60 }, { minutes: 1440 }]);
    await screen.findByText(/^“CI deploy” is paused and works again/);
  });

  test('is paused from the form that would revoke it', async () => {
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    await press('Pause it for an hour');
    await isGone(() => screen.queryByRole('dialog'));
    expect(pauses()).toEqual([{ minutes: 60 }]);
    await screen.findByText(/^Paused until .*\d:\d\d [AP]M$/);
    expect(api.calls('revokeKey')).toEqual([]);
  });

  test('is paused from its details, where a menu has what ends it', async () => {
    openPanel();
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    const details = await dialog('CI deploy');
    expect(await footer()).toEqual(['Rotate…', 'Pause it for an hour', 'More actions']);
    await press('More actions', details);
    const items = await screen.findAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent)).toEqual(['It leaked…', 'Revoke…']);
    await press('More actions', details);
    await isGone(() => screen.queryByRole('menuitem'));
    await press('Pause it for an hour', details);
    // In its place, with the focus.
    await focusOn(() => details.queryByRole('button', { name: 'Resume…' }));
    expect(pauses()).toEqual([{ minutes: 60 }]);
  });

  test('can be resumed, not rotated, while it is paused', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    openPanel();
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    expect(await footer()).toEqual(['Resume…', 'More actions']);
  });

  test('can be rotated again once its pause is over, though the list was read before', async () => {
    api.keys = [anApiKey({ pausedUntil: iso(-1) })];
    openPanel();
    await press('Actions for CI deploy');
    const items = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
    expect(items).toContain('Rotate…');
    expect(items).not.toContain('Resume…');
    await user.keyboard('{Escape}');
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    expect(await footer()).toEqual(['Rotate…', 'Pause it for an hour', 'More actions']);
  });

  test('is not offered a rotation by what needs attention while it is paused, which the service would refuse', async () => {
    const pausedUntil = '2099-01-01T00:00:00.000Z';
    api.keys = [anApiKey({ createdAt: iso(-60 * DAY_MS), expiresAt: iso(2.1 * DAY_MS), pausedUntil })];
    openPanel();
    const section = within(await screen.findByRole('region', { name: 'Needs attention' }));
    section.getByText(/^Rotate it if you still need it/);
    expect(section.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Mark handled']);
  });

  test('is paused until a time of the service, even if the browser’s clock is a day behind', async () => {
    api.aheadMs = DAY_MS;
    api.keys = [anApiKey({ expiresAt: iso(90 * DAY_MS) })];
    openPanel();
    await chooseAction('CI deploy', 'Pause for an hour');
    await screen.findByText('“CI deploy” is paused and works again in 1 hour');
  });

  test.each([
    ['en', 'Pause for an hour', 'Actions for CI deploy', /^This key has already ended\./],
    ['de', 'Eine Stunde pausieren', 'Aktionen für CI deploy', /^Dieser Schlüssel ist schon beendet\./],
  ] as const)(
    'has ended in another tab: says so in the language of the screen (%s)',
    async (language, item, menu, words) => {
      api.once('pauseKey', new Refusal(409, 'api_key_not_active', { detail: 'The API key is revoked' }));
      openPanel({ language });
      await press(menu);
      await user.click(await screen.findByRole('menuitem', { name: item }));
      await screen.findByText(words);
    },
  );

  test.each([
    ['api_key_not_active', /^This key has already ended\. If you still need one, create a new key\./],
    ['confirmation_required', /so nothing was changed/],
  ])('is refused to be resumed in words that speak of no new key: %s', async (code, words) => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    api.once('resumeKey', new Refusal(409, code));
    openPanel({ getToken: (fresh) => (fresh ? Promise.reject(new Error('closed')) : 'token') });
    await chooseAction('CI deploy', 'Resume…');
    await type('Your password', PASSWORD);
    await press('Resume key');
    within(await screen.findByRole('alert')).getByText(words);
  });

  test('is not offered a pause in that form while it is paused', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' });
    expect(screen.queryByRole('button', { name: 'Pause it for an hour' })).toBeNull();
  });

  test('is resumed from its menu or its details, with a password, and without the warning of a revocation', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z', lastUsedAt: iso(-HOUR_MS) })];
    openPanel();
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    await press('Resume…');
    const { findByText, queryByText } = await dialog('Resume “CI deploy”?');
    expect(queryByText(/probably still needs it/)).toBeNull();
    await press('Resume key');
    await findByText('Enter your password');
    api.once('resumeKey', new Refusal(403, 'incorrect_password'));
    await type('Your password', 'wrong');
    await press('Resume key');
    await findByText('Incorrect password');
    await type('Your password', PASSWORD);
    await press('Resume key');
    await screen.findByText('“CI deploy” works again');
    expect(api.calls('resumeKey').map(({ body }) => body)).toEqual([{ password: 'wrong' }, { password: PASSWORD }]);
    await isGone(() => screen.queryByText(/^Paused until/));
  });

  test('keeps the password of a form whose request was refused for another reason', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    api.once('resumeKey', new Refusal(503, 'unavailable'));
    openPanel();
    await chooseAction('CI deploy', 'Resume…');
    await type('Your password', PASSWORD);
    await press('Resume key');
    within(await screen.findByRole('alert')).getByText(/^The service isn’t available right now/);
    await press('Resume key');
    await screen.findByText('“CI deploy” works again');
  });

  test('stays paused if an administrator paused it for longer', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    api.once('resumeKey', api.keys[0]!);
    openPanel();
    await chooseAction('CI deploy', 'Resume…');
    await dialog('Resume “CI deploy”?');
    await type('Your password', PASSWORD);
    await press('Resume key');
    await screen.findByText('“CI deploy” stays paused by an administrator');
  });
});

test('a key whose lifetime is none of the usual ones is rotated for as long again, by one choice', async () => {
  api.keys = [anApiKey({ createdAt: iso(-20 * DAY_MS), expiresAt: iso(160 * DAY_MS) })];
  openPanel();
  await chooseAction('CI deploy', 'Rotate…');
  const form = await dialog('Rotate “CI deploy”');
  const isChosen = () => form.getByRole<HTMLInputElement>('radio', { name: '180 days' }).checked;
  expect([isChosen(), form.queryByLabelText('Expiration date')]).toEqual([true, null]);
  // It stays there.
  await user.click(form.getByRole('radio', { name: '7 days' }));
  expect(isChosen()).toBe(false);
  await user.click(form.getByRole('radio', { name: '180 days' }));
  await type('Your password', PASSWORD);
  await press('Rotate key');
  await waitFor(() => expect(api.calls('rotateKey')[0]?.body).toMatchObject({ expiresInDays: 180 }));
});

describe('a rotated key', () => {
  const WORDS = {
    en: ['Rotation', 'Still calling with the old key', 'Only the new key', 'via api', /last seen 2 hours ago/],
    de: [
      'Rotation',
      'Ruft noch mit dem alten Schlüssel auf',
      'Nur der neue Schlüssel',
      'über api',
      /zuletzt .*vor 2 Stunden/,
    ],
  } as const;

  async function openRotation(language: 'en' | 'de', usedHoursAgo: number, endsAt: string | null = null, daysAgo = 1) {
    const old = anApiKey({ createdAt: iso(-60 * DAY_MS), endsAt });
    const next = anApiKey({ createdAt: iso(-daysAgo * DAY_MS), replaces: old.id, graceSeconds: 3600 });
    api.keys = [next, { ...old, replacedBy: next.id }];
    const use = {
      clientIp: '203.0.113.9',
      service: 'api',
      firstAt: iso(-40 * DAY_MS),
      lastAt: iso(-usedHoursAgo * HOUR_MS),
    };
    api.histories = {
      [old.id]: { uses: [use, { ...use, clientIp: '198.51.100.7', lastAt: iso(-9 * DAY_MS) }], days: [] },
    };
    openPanel({ language });
    await user.click((await row('CI deploy')).getByRole('link', { name: 'CI deploy' }));
    return within(await (await dialog('CI deploy')).findByRole('region', { name: WORDS[language][0] }));
  }

  test.each(['en', 'de'] as const)(
    'the details show the way of a rotation, and who still calls with the old key (%s)',
    async (language) => {
      const [, callers, last, via, seen] = WORDS[language];
      const section = await openRotation(language, 2.1, iso(3 * HOUR_MS));
      const steps = within(section.getAllByRole('list')[0]!).getAllByRole('listitem');
      expect(steps.map((step) => step.getAttribute('aria-current'))).toEqual([null, 'step', null]);
      expect(steps[2]!.textContent).toContain(last);
      expect(steps[2]!.textContent).toMatch(/in 3 (hours|Stunden)/);
      const calls = within(section.getByRole('list', { name: callers })).getAllByRole('listitem');
      expect(calls).toHaveLength(1);
      expect(calls[0]!.textContent).toContain('203.0.113.9');
      within(calls[0]!).getByText(via);
      within(calls[0]!).getByText(seen);
    },
  );

  test('the details say that nobody has called with the old key since the new one was made, and how long it still works', async () => {
    const section = await openRotation('en', 48);
    section.getByText(/^Nobody has called with the old key since the rotation, .* ago\.$/);
    section.getByText('Until 1 hour after the new key is used');
    section.getByText(/^until [A-Z][a-z]{2} \d+(, \d{4})?$/);
  });

  test('says the time since which both keys work where that is today', async () => {
    const section = await openRotation('en', 48, null, 0);
    section.getByText(/^until \d+:\d\d [AP]M$/);
  });
});
