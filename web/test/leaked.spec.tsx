/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey, aRevokedKey, DAY_MS, iso } from './support/keys';
import { button, chooseAction, isGone, openPanel, press, screen, user } from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

describe('a leaked key that needs no new one', () => {
  test('is revoked with this reason, and neither it nor the key that it had replaced needs attention', async () => {
    const reported = { revokedReason: 'leaked', leak: { source: 'scanner', url: null }, createdAt: iso(-9 * DAY_MS) };
    api.keys = [anApiKey(), aRevokedKey(reported)];
    openPanel();
    await chooseAction('CI deploy', 'It leaked…');
    await press('Only revoke it');
    await user.click(await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' }));
    await press('Revoke key');
    await isGone(() => screen.queryByRole('dialog'));
    expect(api.calls('revokeKey')[0]!.body).toEqual({ leaked: true });
    await screen.findByText(/^No active keys\./);
    expect(screen.queryByRole('button', { name: /^Create again/ })).toBeNull();
  });

  test('is one that its owner revoked for another reason: then no reason is sent', async () => {
    api.keys = [anApiKey()];
    openPanel();
    await chooseAction('CI deploy', 'Revoke…');
    const confirmed = await screen.findByRole('checkbox', { name: 'Yes, revoke it permanently' });
    const lookOf = async () => (await button('Revoke key')).getAttribute('data-variant');
    expect(await lookOf()).toBe('outline');
    await user.click(confirmed);
    expect(await lookOf()).not.toBe('outline');
    await press('Revoke key');
    await isGone(() => screen.queryByRole('dialog'));
    expect(api.calls('revokeKey')[0]!.body).toBeUndefined();
  });
});
