/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Refusal, ScriptedApi } from './support/api';
import { anApiKey } from './support/keys';
import {
  chooseAction,
  dialog,
  focusOn,
  isGone,
  openPanel,
  PASSWORD,
  press,
  screen,
  type,
  user,
} from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
  api.keys = [anApiKey()];
});
/** The buttons below the details. */
const footer = async () => {
  const more = await screen.findByRole('button', { name: 'More actions' });
  const buttons = [...more.parentElement!.querySelectorAll(':scope > button')];
  return buttons.map((each) => each.getAttribute('aria-label') ?? each.textContent);
};
const pauses = () => api.calls('pauseKey').map(({ body }) => body);

describe('a key that nobody dares to revoke', () => {
  test('is paused from its menu, and says in its row when it works again', async () => {
    openPanel();
    await chooseAction('CI deploy', 'For a day');
    await screen.findByText(/^Paused, works again (tomorrow|in 1 day|in 24 hours)$/);
    expect(pauses()).toEqual([{ minutes: 1440 }]);
    await screen.findByText(/^“CI deploy” is paused and works again/);
  });

  test('is paused from the form that would revoke it', async () => {
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    await press('Pause it for an hour');
    await isGone(() => screen.queryByRole('dialog'));
    expect(pauses()).toEqual([{ minutes: 60 }]);
    await screen.findByText('Paused, works again in 1 hour');
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

  test('is not offered a pause in that form while it is paused', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' });
    expect(screen.queryByRole('button', { name: 'Pause it for an hour' })).toBeNull();
  });

  test('is resumed from its menu or its details, with a password', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    openPanel();
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    await press('Resume…');
    const { findByText } = await dialog('Resume “CI deploy”?');
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
    await isGone(() => screen.queryByText(/^Paused, works again/));
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
