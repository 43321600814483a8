import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import { putEvents, putKeys } from './support/rows.js';
import { button } from './support/screen.js';
import { Stage } from './support/stage.js';

describe('the activity', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('lists events of the owner’s keys and password alone, newest first, as sentences', async () => {
    const owner = await stage.newOwner();
    const { apiKey, fullKey } = await owner.person.newKey({ name: 'CI deploy' });
    await owner.person.create({ password: 'wrong' });
    await owner.person.revoke(apiKey.id);
    await stage.service.clients.validate(fullKey, { clientIp: '203.0.113.7', userAgent: 'curl/8.5.0' });
    await stage.service.clients.validate(unknownKey());
    const stranger = await stage.newOwner();
    await stranger.person.newKey({ name: 'Not yours' });

    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await events.first().waitFor();
    const sentences = (await events.allInnerTexts()).map((text) => text.split('\n', 1)[0]);
    expect(sentences).toEqual([
      'CI deploy rejected: revoked',
      'Key CI deploy was revoked',
      'Wrong password for your account',
      'Key CI deploy was created',
    ]);
    const facts = (await events.first().innerText()).split(/\s*\n\s*/).slice(1);
    expect(facts).toEqual([expect.stringMatching(/now|seconds ago/), apiKey.prefix, '203.0.113.7', 'curl/8.5.0']);
  });

  test('names who revoked a key, and only says that it was revoked if the reason is missing or unknown', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    const reasons = [undefined, 'of-a-newer-service', 'owner', 'rotated', 'leaked', 'platform', 'administrator'];
    const revoked = { type: 'api_key.revoked', keyName: 'CI deploy' };
    const details = { source: '<b>scanner</b>', url: 'https://git.example.com/a#L1' };
    await putEvents(
      stage.service,
      owner,
      reasons.map((reason, n) => ({
        ...revoked,
        minutesAgo: 9 - n,
        details,
        ...(reason === undefined ? {} : { reason }),
      })),
    );
    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await events.nth(6).waitFor();
    const texts = await events.allInnerTexts();
    const plain = 'Key CI deploy was revoked';
    const sentences = [
      ' by an administrator',
      ' by your platform',
      ' because it leaked',
      ': a new key replaced it',
    ].map((by) => `${plain}${by}`);
    expect(texts.map((text) => text.split('\n', 1)[0])).toEqual([...sentences, plain, plain, plain]);
    expect(texts.map((text) => text.includes('Automatic')).indexOf(true)).toBe(3);
    expect(texts.filter((text) => text.includes('Automatic'))).toHaveLength(1);
    // Only of the leak. A stranger may have written it: no markup, and the site that the link leads to learns nothing.
    expect(texts.filter((text) => /Found by <b>scanner<\/b>\s+Found at: https:\/\/git/.test(text))).toEqual([texts[2]]);
    expect(texts.filter((text) => text.includes('Found'))).toHaveLength(1);
    const link = events.getByRole('link', { name: `${details.url} (opens in a new tab)`, exact: true });
    const facts = ['href', 'target', 'rel'].map((name) => link.getAttribute(name));
    expect(await Promise.all(facts)).toEqual([details.url, '_blank', 'noopener noreferrer']);
  });

  test('makes a link only of an https address at which a key was found', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }]);
    const urls = ['javascript:alert(1)', 'http://git.example.com/a', 'data:text/html,x', 'HTTPS:git.example.com/a'];
    const leaked = { type: 'api_key.revoked', keyName: 'CI deploy', reason: 'leaked' };
    await putEvents(
      stage.service,
      owner,
      urls.map((url, n) => ({ ...leaked, minutesAgo: 9 - n, details: { source: null, url } })),
    );
    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' });
    for (const url of urls) await events.getByText(`Found at: ${url}`).waitFor();
    expect(await events.getByRole('link').count()).toBe(0);
  });

  test('a long list has pages, and can be filtered by kind and key', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }, { name: 'Another', shown: 'e02b95d1c47a' }]);
    const refused = { type: 'authentication.failed', keyName: 'CI deploy', reason: 'expired' };
    await putEvents(stage.service, owner, [
      { type: 'api_key.created', keyName: 'CI deploy', minutesAgo: 99 },
      { ...refused, keyName: 'Another', minutesAgo: 98 },
      ...Array.from({ length: 60 }, (_, n) => ({ ...refused, minutesAgo: 60 - n, clientIp: `203.0.113.${n}` })),
    ]);
    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await events.nth(49).waitFor();
    expect(await events.count()).toBe(50);
    const created = events.filter({ hasText: 'Key CI deploy was created' });
    expect(await created.count()).toBe(0);
    const show = (what: string) =>
      page.getByRole('radiogroup', { name: 'Type of activity' }).getByText(what, { exact: true }).click();
    await show('Changes');
    await created.waitFor();
    expect([await events.count(), await button(page, 'Show more').count()]).toEqual([1, 0]);
    await show('Rejected');
    await button(page, 'Show more').click();
    await events.nth(60).waitFor();
    expect([await events.count(), await created.count(), await button(page, 'Show more').count()]).toEqual([61, 0, 0]);
    const key = page.getByLabel('Key', { exact: true });
    await key.selectOption({ label: 'Another · lk_e02b95d1c47a…' });
    await events.filter({ hasText: 'CI deploy' }).first().waitFor({ state: 'detached' });
    await events.filter({ hasText: /^Another rejected: expired/ }).waitFor();
    expect(await events.count()).toBe(1);
    await key.selectOption('All keys');
    await events.nth(49).waitFor();
  });

  test('shows equal refusals as one line with their number and both times, also across pages', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'Old laptop' }]);
    const refused = {
      type: 'authentication.failed',
      keyName: 'Old laptop',
      reason: 'expired',
      clientIp: '203.0.113.7',
    };
    await putEvents(stage.service, owner, [
      { type: 'api_key.expired', keyName: 'Old laptop', minutesAgo: 300.5 },
      ...Array.from({ length: 70 }, (_, n) => ({ ...refused, minutesAgo: 242.5 - 3 * n, count: n === 3 ? 2000 : 1 })),
      { ...refused, reason: 'revoked', minutesAgo: 2.2 },
      { ...refused, minutesAgo: 1.2 },
    ]);
    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    const lines = async () => (await events.allInnerTexts()).map((text) => text.split(/\s*\n\s*/).slice(0, 3));
    await events.nth(2).waitFor();
    expect((await lines())[2]).toEqual([
      'Old laptop rejected: expired',
      '48 times',
      expect.stringMatching(/^3\d minutes ago$/),
    ]);
    await button(page, 'Show more').click();
    await page.getByText('Key Old laptop expired').waitFor();
    expect(await lines()).toEqual([
      ['Old laptop rejected: expired', expect.stringMatching(/^\d minutes? ago$/), expect.any(String)],
      ['Old laptop rejected: revoked', expect.stringMatching(/^\d minutes ago$/), expect.any(String)],
      ['Old laptop rejected: expired', '2,069 times', expect.stringMatching(/^3\d minutes ago$/)],
      ['Key Old laptop expired', '5 hours ago', expect.any(String)],
    ]);
    await events.nth(2).getByText('first 4 hours ago').waitFor();
    expect(await events.nth(2).getByText('203.0.113.7').count()).toBe(1);
  });

  test('shows the first use of a new key', async () => {
    const owner = await stage.newOwner();
    const { apiKey } = await owner.person.newKey({ name: 'CI deploy' });
    const { body } = await owner.person.rotate(apiKey.id);
    await stage.service.clients.validate(body.fullKey);
    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Key CI deploy was used for the first time').waitFor();
  });

  test('an empty list says so, for all events and for one kind', async () => {
    const { page } = await stage.open();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('No activity yet.').waitFor();
    await page.getByText('Rejected', { exact: true }).click();
    await page.getByText(/^No rejected requests yet\./).waitFor();
  });
});
