import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, themselves } from '#test/support/application/calls.js';

describe('ListAuditEvents', () => {
  const app = openFakes();

  test('returns the events of the owner, newest first, with actor and client', async () => {
    const [{ id, displayName }, someoneElse] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, id);
    await createKey(app, someoneElse.id);
    const from = client('198.51.100.7');
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, from);
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: from,
    });
    const { items, nextCursor } = await app.listAuditEvents.execute(themselves(id), {}, { limit: 50 });
    const actor = { id, displayName };
    const facts = {
      keyId: key.id,
      count: 1,
      clientIp: '198.51.100.7',
      userAgent: 'curl/8',
      requestId: from.requestId,
      leak: null,
      previousName: null,
      note: null,
    };
    expect(items).toEqual([
      {
        ...facts,
        id: expect.any(String),
        at: expect.any(Date),
        type: 'authentication.failed',
        reason: 'revoked',
        actor: null,
      },
      { ...facts, id: expect.any(String), at: expect.any(Date), type: 'api_key.revoked', reason: 'owner', actor },
      expect.objectContaining({ type: 'api_key.created', keyId: key.id, clientIp: '192.0.2.1' }),
    ]);
    expect(nextCursor).toBeNull();
  });

  test('filters by type', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    const { items } = await app.listAuditEvents.execute(
      themselves(id),
      { types: ['api_key.created', 'authentication.failed'] },
      { limit: 50 },
    );
    expect(items.map(({ type }) => type)).toEqual(['authentication.failed', 'api_key.created']);
  });

  test('returns each event once, page by page', async () => {
    const { id } = await newOwner(app);
    for (let made = 0; made < 5; made += 1) await createKey(app, id);
    const first = await app.listAuditEvents.execute(themselves(id), {}, { limit: 3 });
    const second = await app.listAuditEvents.execute(themselves(id), {}, { limit: 3, cursor: first.nextCursor! });
    const ids = [...first.items, ...second.items].map((event) => BigInt(event.id));
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? 1 : -1)));
    expect(second.nextCursor).toBeNull();
  });

  test.each(['', 'x', Buffer.from('["1; DROP TABLE accounts"]').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      const { id } = await newOwner(app);
      await expect(app.listAuditEvents.execute(themselves(id), {}, { limit: 5, cursor })).rejects.toMatchObject({
        code: 'invalid_fields',
      });
    },
  );
});
