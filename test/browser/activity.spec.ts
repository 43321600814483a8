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
      'A request with key CI deploy was refused: it is revoked',
      'Key CI deploy was revoked',
      'A wrong password was entered for your account',
      'Key CI deploy was created',
    ]);
    const facts = (await events.first().innerText()).split(/\s*\n\s*/).slice(1);
    expect(facts).toEqual(['just now', apiKey.prefix, '203.0.113.7', 'curl/8.5.0']);
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
      ' because it had leaked',
      ': replaced by a new key',
    ].map((by) => `${plain}${by}`);
    expect(texts.map((text) => text.split('\n', 1)[0])).toEqual([...sentences, plain, plain, plain]);
    expect(texts.map((text) => text.includes('By the service itself')).indexOf(true)).toBe(3);
    expect(texts.filter((text) => text.includes('By the service itself'))).toHaveLength(1);
    // Only of the leak, and as text: a stranger may have written it.
    expect(texts.filter((text) => /Found by <b>scanner<\/b>\s+Found at https:\/\/git/.test(text))).toEqual([texts[2]]);
    expect(texts.filter((text) => text.includes('Found')).length + (await events.getByRole('link').count())).toBe(1);
  });

  test('a long list has pages, counts repeated failures, and can be filtered by kind and key', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: 'CI deploy' }, { name: 'Another', shown: 'e02b95d1c47a' }]);
    const refused = { type: 'authentication.failed', keyName: 'CI deploy', reason: 'expired' };
    await putEvents(stage.service, owner, [
      { type: 'api_key.created', keyName: 'CI deploy', minutesAgo: 99 },
      { ...refused, keyName: 'Another', minutesAgo: 98 },
      ...Array.from({ length: 24 }, (_, n) => ({ ...refused, minutesAgo: 60 - n, count: n === 23 ? 7 : 1 })),
    ]);
    const { page } = await stage.open({ owner });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await events.nth(19).waitFor();
    expect(await events.count()).toBe(20);
    expect(await events.first().innerText()).toMatch(/it has expired\s*×7/);
    await events.first().getByText('7 times').waitFor({ state: 'attached' });
    const created = events.filter({ hasText: 'Key CI deploy was created' });
    expect(await created.count()).toBe(0);
    const show = (what: string) =>
      page.getByRole('radiogroup', { name: 'What to show' }).getByText(what, { exact: true }).click();
    await show('Keys');
    await created.waitFor();
    expect([await events.count(), await button(page, 'Show more').count()]).toEqual([1, 0]);
    await show('Refused');
    await button(page, 'Show more').click();
    await events.nth(24).waitFor();
    expect([await events.count(), await created.count(), await button(page, 'Show more').count()]).toEqual([25, 0, 0]);
    const key = page.getByLabel('Key', { exact: true });
    await key.selectOption({ label: 'Another · lk_e02b95d1c47a…' });
    await events.filter({ hasText: 'with key CI deploy' }).first().waitFor({ state: 'detached' });
    await events.filter({ hasText: /^A request with key Another was refused/ }).waitFor();
    expect(await events.count()).toBe(1);
    await key.selectOption('All keys');
    await events.nth(19).waitFor();
  });

  test('an empty list says so, for all events and for one kind', async () => {
    const { page } = await stage.open();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Nothing has happened yet.').waitFor();
    await page.getByText('Refused', { exact: true }).click();
    await page.getByText('No request was refused yet.').waitFor();
  });
});
