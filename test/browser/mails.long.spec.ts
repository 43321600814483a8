import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Account } from '#domain/accounts/account.js';
import { maskKey } from '#domain/keys/key-string.js';
import { DAY_MS } from '#domain/time.js';
import { letterHtml, writeLetter } from '#infrastructure/outbound/mail/letter.js';
import type { MailedType } from '#domain/notices/key-notice.js';
import { axe } from './support/axe.js';
import { DESKTOP, PHONE, wider } from './support/look.js';
import { shoot } from './support/screenshots.js';
import { Stage } from './support/stage.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const PICTURES: [MailedType, string][] = [
  ['api_key.created', 'mail-created'],
  ['api_key.expiring', 'mail-expiring'],
  ['api_key.leaked', 'mail-leaked'],
  ['api_key.used_from_new_network', 'mail-new-network'],
  ['api_key.idle', 'mail-idle'],
];

function mail(type: MailedType, name: string): string {
  const profile = { email: 'ada@example.org', displayName: 'Ada Lovelace', permissions: [] };
  const account = Account.open('ada', profile);
  const addressee = { account, owner: account, maker: account, now: NOW, isReplaced: false, replaced: undefined };
  const data = {
    sequence: 1,
    keyId: randomUUID(),
    ownerId: 'ada',
    name,
    prefix: maskKey('lk', '7c1f4e0a9b2d'.padEnd(24, '0')),
    expiresAt: new Date(NOW.getTime() + 7 * DAY_MS).toISOString(),
    clientIp: '203.0.113.7',
    leak: { source: 'GitLab', url: 'https://git.example.com/ada/deploy/-/blob/main/.env' },
  };
  return letterHtml(writeLetter(type, { data, timestamp: NOW }, addressee, 'https://keys.example.com'));
}

describe('the HTML of a mail', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test.each(PICTURES)('of %s passes every axe rule, fits into 360 px and loads nothing', async (type, picture) => {
    const page = await stage.visit('about:blank');
    await page.setContent(mail(type, 'CI deploy'));
    await shoot(page, picture, { width: 640, height: 690 });
    // All have the same layout, so some are checked in the dark scheme and some in the light one.
    await page.emulateMedia({
      colorScheme: type === 'api_key.created' || type === 'api_key.leaked' ? 'dark' : 'light',
    });
    const { violations, kept } = await axe(page);
    expect(violations).toEqual([]);
    expect(kept).toBeGreaterThan(10);

    await page.setContent(mail(type, 'W'.repeat(64)));
    expect([await wider(page, PHONE), await wider(page, DESKTOP)]).toEqual([[], []]);
    expect(await page.evaluate<number>(`performance.getEntriesByType('resource').length`)).toBe(0);
  });

  test('shows markup in a name as text', async () => {
    const page = await stage.visit('about:blank');
    const markup = '<img src=x onerror=document.title=1>';
    await page.setContent(mail('api_key.created', markup));
    await page.getByText(markup).waitFor();
    expect([await page.locator('img').count(), await page.title()]).toEqual([0, 'A new API key was created']);
  });
});
