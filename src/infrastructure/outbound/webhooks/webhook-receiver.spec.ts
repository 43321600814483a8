import { createHmac, createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '#test/support/eventually.js';
import {
  answering,
  ACCEPTS,
  verified,
  type WebhookServer,
  startWebhookServer,
} from '#test/support/platform/webhook-receiver.js';
import type { NotAccepted, OutboxMessage } from '#application/notice-ports.js';
import { WebhookReceiver } from './webhook-receiver.js';

const secrets = [randomBytes(24), randomBytes(64)];
const MESSAGE: OutboxMessage = {
  id: randomUUID(),
  type: 'api_key.revoked',
  timestamp: new Date('2026-03-29T00:30:00.123Z'),
  recipient: null,
  data: {
    sequence: 2,
    keyId: randomUUID(),
    ownerId: 'u1',
    name: 'Zoë’s "CI" 🔑',
    prefix: 'lk_0123456789ab…',
    reason: 'owner',
    expiresAt: '2026-03-30T00:30:00.000Z',
  },
};

describe('the receiver of webhooks', () => {
  let server: WebhookServer;
  beforeAll(async () => {
    server = await startWebhookServer();
  });
  beforeEach(() => {
    server.answer = ACCEPTS;
    server.deliveries.length = 0;
  });
  afterAll(() => server.stop());

  const deliver = (url = server.url, { signal } = new AbortController()) =>
    new WebhookReceiver({ url, secrets: secrets.map((secret) => createSecretKey(secret)) }).deliver(MESSAGE, signal);

  test.each([
    ['120', 120_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
    ['soon', undefined],
    ['-1', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ])('may ask to be left alone with Retry-After: %s', async (text, expected) => {
    server.answer = answering(429, { 'retry-after': text });
    const error = (await deliver().catch((thrown: unknown) => thrown)) as NotAccepted;
    expect(error.message).toBe('it answered 429');
    // The time in the header has whole seconds, and some have passed.
    const isClose = Math.abs((error.retryAfterMs ?? 0) - (expected ?? 0)) < 1_800_000;
    expect([error.retryAfterMs === undefined, isClose]).toEqual([expected === undefined, true]);
  });

  test('gets a message that the library verifies with each of the secrets and no other', async () => {
    await deliver();
    const [delivery] = server.deliveries;
    const { id: _id, recipient: _recipient, ...content } = MESSAGE;
    for (const secret of secrets) {
      expect(verified(delivery!, `whsec_${secret.toString('base64')}`)).toEqual({
        ...content,
        timestamp: '2026-03-29T00:30:00.123Z',
      });
    }
    expect(() => verified(delivery!)).toThrow('No matching signature');
    expect(() =>
      verified({ ...delivery!, body: `${delivery!.body} ` }, `whsec_${secrets[0]!.toString('base64')}`),
    ).toThrow();
    expect(delivery!.headers).toMatchObject({ 'webhook-id': MESSAGE.id, 'content-type': 'application/json' });
  });

  test('gets an HMAC-SHA256 of id, time and body for each secret, in order', async () => {
    await deliver();
    const { id, headers, body } = server.deliveries[0]!;
    const signed = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
    const macs = secrets.map((secret) => createHmac('sha256', secret).update(signed).digest('base64'));
    expect(headers['webhook-signature']).toBe(`v1,${macs[0]} v1,${macs[1]}`);
  });

  test('gets the same body on each attempt', async () => {
    await deliver();
    await deliver();
    const [one, other] = server.deliveries;
    expect([one!.id, one!.body]).toEqual([other!.id, other!.body]);
  });

  test.each([200, 201, 202, 204])('accepts a notice with status %i', async (status) => {
    server.answer = answering(status);
    await expect(deliver()).resolves.toBeUndefined();
  });

  test.each([
    [400, 'it answered 400'],
    [410, 'it answered 410'],
    [500, 'it answered 500'],
    [302, 'it answered 302, and redirects are not followed'],
    [307, 'it answered 307, and redirects are not followed'],
  ])('does not accept a notice with status %i', async (status, why) => {
    server.answer = answering(status, { location: server.url });
    await expect(deliver()).rejects.toThrow(why);
    expect(server.deliveries).toHaveLength(1);
  });

  test('accepts a notice even if its answer never ends', async () => {
    // Its own server: a request of an earlier test may reach the other one late.
    const endless = await startWebhookServer();
    let hasEnded = false;
    let written = 0;
    endless.answer = (response) => {
      response.writeHead(200).on('close', () => (hasEnded = true));
      const chunk = Buffer.alloc(65_536);
      const write = (): void => {
        written += chunk.length;
        if (!hasEnded && response.write(chunk)) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    };
    await deliver(endless.url);
    await eventually(async () => hasEnded);
    await endless.stop();
    // No more than the buffers of the operating system take.
    expect(written).toBeLessThan(50_000_000);
  });

  test('does not accept a notice while it is down, and the reason contains no address', async () => {
    const stopped = await startWebhookServer();
    await stopped.stop();
    const why = await deliver(`${stopped.url}?token=secret`).catch((error: Error) => error.message);
    expect(why).toBe('it could not be reached (ECONNREFUSED)');
  });

  test('does not accept a notice if it speaks no HTTP or closes the connection', async () => {
    for (const words of ['220 mail.example.com ESMTP\r\n', '']) {
      const other = createServer((socket) => void socket.resume().end(words));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as { port: number };
      await expect(deliver(`http://127.0.0.1:${port}/`)).rejects.toThrow(
        /^it could not be reached \((HPE_\w+|UND_ERR_SOCKET|EPIPE)\)$/,
      );
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test.each([
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['claims to switch, and names no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['announces an answer and closes the connection', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('does not accept a notice if it %s', async (_what, words) => {
    const other = createServer((socket) => void socket.resume().end(words));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(deliver(`http://127.0.0.1:${port}/`)).rejects.toThrow('it could not be reached (UND_ERR_SOCKET)');
    await new Promise((resolve) => other.close(resolve));
  });

  test('is disconnected when the attempt is aborted', async () => {
    let hasEnded = false;
    server.answer = (response) => void response.on('close', () => (hasEnded = true));
    const attempt = new AbortController();
    const delivery = deliver(server.url, attempt).catch((error: Error) => error.message);
    await eventually(async () => server.deliveries.length === 1);
    attempt.abort('cut-off');
    expect(await delivery).toBe('it could not be reached (fetch failed)');
    await eventually(async () => hasEnded);
  });
});
