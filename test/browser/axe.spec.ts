import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openAllKeys, startAdministration } from './support/all-keys.js';
import { axe } from './support/axe.js';
import { putKeys } from './support/rows.js';
import { button, dialog, openCreate, row, showDetails } from './support/screen.js';
import type { Stage } from './support/stage.js';
import { KEYS } from './support/states.js';

/** Each page once; the long form has every state of them. */
describe('each page, light and dark', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startAdministration();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  async function expectNone(page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).first().waitFor();
      const { violations, kept } = await axe(page);
      expect({ colorScheme, violations }).toEqual({ colorScheme, violations: [] });
      // It has checked something.
      expect(kept).toBeGreaterThan(15);
    }
  }

  test('breaks no rule of axe for an owner', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, KEYS);
    const signIn = await stage.open({ signedIn: false });
    await button(signIn.page, 'Sign in').waitFor();
    await expectNone(signIn.page);
    const { page } = await stage.open({ owner });
    await row(page, 'CI deploy').waitFor();
    await expectNone(page);
    await showDetails(page, 'CI deploy');
    await expectNone(page);
    await page.keyboard.press('Escape');
    await openCreate(page);
    await expectNone(page);
    await page.keyboard.press('Escape');
    await dialog(page, 'Create API key').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('tabpanel', { name: 'Activity' }).waitFor();
    await expectNone(page);
  });

  test('breaks no rule of axe for an administrator', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, KEYS);
    const { page } = await openAllKeys(stage, `owner=${owner.id}`);
    await row(page, 'CI deploy').waitFor();
    await expectNone(page);
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('search', { name: 'Search the audit trail' }).waitFor();
    await expectNone(page);
  });
});
