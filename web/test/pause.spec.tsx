/** @jest-environment @happy-dom/jest-environment */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey } from './support/keys';
import { chooseAction, isGone, openPanel, press, screen } from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
  api.keys = [anApiKey()];
});
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

  test('is not offered a pause in that form while it is paused', async () => {
    api.keys = [anApiKey({ pausedUntil: '2099-01-01T00:00:00.000Z' })];
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' });
    expect(screen.queryByRole('button', { name: 'Pause it for an hour' })).toBeNull();
  });
});
