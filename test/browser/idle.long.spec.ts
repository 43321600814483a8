import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type WebhookServer, startWebhookServer } from '../support/platform/webhook-receiver.js';
import { startService } from '../support/processes/service.js';
import { look } from './support/look.js';
import { putKeys, type KeyRow } from './support/rows.js';
import { button, row, showDetails } from './support/screen.js';
import { Stage } from './support/stage.js';

const UNUSED = {
  name: 'Status dashboard',
  createdDaysAgo: 203,
  expiresInDays: 162,
  usedMinutesAgo: 100 * 1440,
  idleEndsInDays: 4.5,
} satisfies KeyRow;
const ENDS = /Ends on \w+ \d+(, \d{4})? unless it is used/;
const section = (page: Page, name = 'Good to know') => page.getByRole('region', { name });

describe('a key that ends unless it is used', () => {
  let stage: Stage;
  let receiver: WebhookServer;
  beforeAll(async () => {
    receiver = await startWebhookServer();
    stage = await Stage.start(await startService({ ...receiver.env, REVOKE_IDLE_AFTER_DAYS: '90' }));
  });
  afterEach(() => stage.clear());
  afterAll(async () => {
    await stage.stop();
    await receiver.stop();
  });

  const openWith = async (keys: readonly KeyRow[], locale = 'en-US') => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, keys);
    const { page } = await stage.open({ owner, options: { locale } });
    return page;
  };

  test('says so in its row, under "Good to know" and in its details, in both schemes and at 360 px', async () => {
    const page = await openWith([{ name: 'CI deploy', usedMinutesAgo: 3 }, UNUSED]);
    await row(page, 'Status dashboard').getByText(ENDS).waitFor();
    await section(page).getByText(ENDS).waitFor();
    expect(await page.getByText(ENDS).count()).toBe(2);
    await look('list-idle', page);
    await showDetails(page, 'Status dashboard');
    await page.getByText('Ends unless it is used', { exact: true }).waitFor();
    await look('details-idle', page);
  });

  test('has its buttons below those of what needs attention', async () => {
    const page = await openWith([{ name: 'Old laptop', expiresInDays: 3 }, UNUSED]);
    const boxOf = async (name: string) => {
      const { x, width } = (await button(page, name).boundingBox())!;
      return [x, width];
    };
    await button(page, 'Revoke…: Status dashboard').waitFor();
    expect(await boxOf('Revoke…: Status dashboard')).toEqual(await boxOf('Rotate…: Old laptop'));
    expect(await boxOf('Mark handled: Status dashboard')).toEqual(await boxOf('Mark handled: Old laptop'));
  });
});
