import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/callers/owners.js';
import { sql } from '../support/stores/sql.js';
import { openAllKeys, startAdministration } from './support/all-keys.js';
import { button, dialog, focusOn, row } from './support/screen.js';
import type { Stage } from './support/stage.js';

describe('all keys', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startAdministration();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('can be paused, and revoked with a note, by the keyboard alone, and only with the administrator’s own password', async () => {
    const owner = await stage.newOwner();
    const { apiKey, fullKey } = await owner.person.newKey({ name: 'CI deploy' });
    const { page, administrator } = await openAllKeys(stage, `owner=${owner.id}`);
    await row(page, 'CI deploy').getByRole('link').focus();
    await page.keyboard.press('Enter');
    const drawer = dialog(page, 'CI deploy');
    await button(drawer, 'Pause it for an hour').focus();
    await page.keyboard.press('Enter');
    const resume = button(drawer, 'Resume…');
    await focusOn(resume);
    expect((await stage.service.clients.validate(fullKey)).grant).toBeFalsy();
    await page.keyboard.press('Enter');
    await dialog(page, 'Resume “CI deploy”?').getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await focusOn(button(drawer, 'Pause it for an hour'));
    expect((await stage.service.clients.validate(fullKey)).grant?.keyId).toBe(apiKey.id);

    const revoke = button(drawer, 'Revoke key…');
    await revoke.focus();
    await page.keyboard.press('Enter');
    const form = dialog(page, 'Revoke “CI deploy”?');
    const [note, password] = ['Note (optional)', 'Your password'].map((label) =>
      form.getByLabel(label, { exact: true }),
    );
    await focusOn(note!);
    await form.getByText('It belongs to Ada Lovelace.').waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await focusOn(revoke);
    await page.keyboard.press('Enter');
    await note!.fill('n'.repeat(201));
    await page.keyboard.press('Enter');
    await focusOn(note!);
    await form.getByText('At most 200 characters').waitFor();
    await form.getByText('Enter your password').waitFor();
    await note!.fill(`Found ${fullKey} in a log`);
    await password!.fill('wrong-password');
    await page.keyboard.press('Enter');
    await form.getByText('This must not contain an API key').waitFor();
    await note!.fill('Found in a public log');
    await password!.fill('wrong-password');
    await page.keyboard.press('Enter');
    await form.getByText('Incorrect password').waitFor();
    await focusOn(password!);
    expect((await stage.service.clients.validate(fullKey)).grant?.keyId).toBe(apiKey.id);

    await password!.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await drawer
      .getByRole('note')
      .getByText(/^An administrator revoked this key (just now|\d+ seconds ago)\.$/)
      .waitFor();
    await drawer.getByRole('list', { name: 'History' }).getByText('was revoked by an administrator').waitFor();
    await drawer.getByRole('list', { name: 'History' }).getByText('Found in a public log').waitFor();
    await form.waitFor({ state: 'detached' });
    await focusOn(drawer.getByRole('heading', { name: 'CI deploy' }));
    expect(await revoke.count()).toBe(0);
    expect((await stage.service.clients.validate(fullKey)).grant).toBeFalsy();
    await page.keyboard.press('Escape');
    await row(page, 'CI deploy').getByText('Revoked', { exact: true }).waitFor();
    const [event] = await sql<{ reason: string; details: string; actor_id: string }>(
      stage.service.databaseUrl,
      "SELECT reason, details, actor_id FROM audit_events WHERE type = 'api_key.revoked' AND key_id = $1",
      [apiKey.id],
    );
    expect({ ...event, details: JSON.parse(event!.details) }).toEqual({
      reason: 'administrator',
      details: { note: 'Found in a public log' },
      actor_id: administrator.id,
    });
    const looks = "SELECT FROM audit_events WHERE type = 'admin.viewed' AND key_id = $1";
    expect(await sql(stage.service.databaseUrl, looks, [apiKey.id])).toHaveLength(1);
  });
});
