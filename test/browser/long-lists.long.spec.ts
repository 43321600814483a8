import { afterAll, afterEach, beforeAll, describe, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { openAllKeys, startAdministration } from './support/all-keys.js';
import { look } from './support/look.js';
import { putKeys } from './support/rows.js';
import { button, dialog, openCreate, row, showDetails } from './support/screen.js';
import type { Stage } from './support/stage.js';

describe('a person with many keys', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startAdministration();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('sorts them, answers what needs attention, and follows a rotation, in both schemes and on a phone', async () => {
    const permissions = ['systems', 'reports', 'users'].flatMap((name) => [`${name}:read`, `${name}:write`]);
    const owner = await newOwner(stage.service, { displayName: 'Ada Lovelace', permissions });
    const old = { createdDaysAgo: 80, expiresInDays: 3 };
    await putKeys(stage.service, owner, [
      { name: 'Backup', createdDaysAgo: 1, graceSeconds: 3600, shown: '7c1f4e0a9b2d' },
      { name: 'Backup', createdDaysAgo: 60, usedMinutesAgo: 90, note: 'Nightly, host b' },
      { name: 'Nightly report', ...old, usedMinutesAgo: 60, note: 'Host c, in the old data centre' },
      { name: 'Import', ...old },
      { name: 'Dashboard', idleEndsInDays: 5 },
      ...Array.from({ length: 60 }, (_, n) => ({
        name: `Script ${n}`,
        createdDaysAgo: 200 + n,
        revokedDaysAgo: n + 1,
      })),
    ]);
    const { page } = await stage.open({ owner });
    await page.getByText('Ended 60', { exact: true }).waitFor({ state: 'attached' });
    await button(page, 'Name').click();
    await button(page, 'Mark handled: Import').click();
    await button(page, 'Mark handled: Import').waitFor({ state: 'detached' });
    await look('list-sorted', page);
    const details = await showDetails(page, 'Backup');
    await details.getByRole('heading', { name: 'Rotation' }).waitFor();
    await look('rotation-timeline', page);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'Dashboard').waitFor();
    await button(page, 'Mark handled: Import').waitFor({ state: 'detached' });
  });

  test('picks permissions by column, in both schemes and on a phone', async () => {
    const permissions = ['systems', 'reports', 'users', ...Array.from({ length: 12 }, (_, n) => `area-${n}`)].flatMap(
      (name) => [`${name}:read`, `${name}:write`],
    );
    const owner = await newOwner(stage.service, { displayName: 'Ada Lovelace', permissions });
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await page.getByRole('radio', { name: 'Read and write' }).check();
    await page.getByRole('radio', { name: 'Only these' }).check();
    await page.getByLabel('All: read').check();
    await page.getByLabel('Write systems').check();
    await page.getByText('16 of 30 selected').waitFor();
    await look('picker-columns', page);
  });

  test('has several ended by an administrator, in both schemes and on a phone', async () => {
    const owner = await newOwner(stage.service, { displayName: 'Ada Lovelace' });
    const names = ['Nightly report', 'CI deploy', 'Backup'];
    await putKeys(
      stage.service,
      owner,
      names.map((name) => ({ name })),
    );
    const { page } = await openAllKeys(stage, `owner=${owner.id}`);
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop
      await page.getByLabel(`Select “${name}”`).check();
    }
    await look('all-keys-selected', page);
    await button(page, 'Revoke 3 keys…').click();
    const form = dialog(page, 'Revoke 3 keys?');
    await form.getByText('Nightly report').waitFor();
    await look('all-keys-several', page);
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await button(form, 'Revoke 3 keys').click();
    const done = dialog(page, '3 of 3 have ended');
    await done.waitFor();
    await look('all-keys-several-ended', page);
    await done.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'CI deploy').getByText('Revoked', { exact: true }).waitFor();
  });
});
