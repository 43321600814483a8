import { createHmac, createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import {
  answering,
  HANGS,
  ACCEPTS,
  verified,
  WebhookServer,
} from '../../../../test/support/platform/webhook-receiver.js';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import { WebhookReceiver } from './webhook-receiver.js';

const secrets = [randomBytes(24), randomBytes(64)];
const MESSAGE: OutboxMessage = {
  id: randomUUID(),
  type: 'api_key.revoked',
  timestamp: new Date('2026-03-29T00:30:00.123Z'),
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
    server = await WebhookServer.start();
  });
  beforeEach(() => {
    server.answer = ACCEPTS;
    server.deliveries.length = 0;
  });
  afterAll(() => server.stop());

  const receiver = (timeoutMs?: number, url = server.url) =>
    new WebhookReceiver({ url, secrets: secrets.map((secret) => createSecretKey(secret)) }, timeoutMs);

  test('is sent a message that the library verifies by each of the secrets, and by no other', async () => {
    await receiver().deliver(MESSAGE);
    const [delivery] = server.deliveries;
    const { id: _id, ...told } = MESSAGE;
    for (const secret of secrets) {
      expect(verified(delivery!, `whsec_${secret.toString('base64')}`)).toEqual({
        ...told,
        timestamp: '2026-03-29T00:30:00.123Z',
      });
    }
    expect(() => verified(delivery!)).toThrow('No matching signature');
    expect(() =>
      verified({ ...delivery!, body: `${delivery!.body} ` }, `whsec_${secrets[0]!.toString('base64')}`),
    ).toThrow();
    expect(delivery!.headers).toMatchObject({ 'webhook-id': MESSAGE.id, 'content-type': 'application/json' });
  });

  test('is sent the HMAC-SHA256 of id, time of the try and body, by each secret in the order of the settings', async () => {
    await receiver().deliver(MESSAGE);
    const { id, headers, body } = server.deliveries[0]!;
    const content = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
    const macs = secrets.map((secret) => createHmac('sha256', secret).update(content).digest('base64'));
    expect(headers['webhook-signature']).toBe(`v1,${macs[0]} v1,${macs[1]}`);
  });

  test('is sent the same to the letter at each try', async () => {
    await receiver().deliver(MESSAGE);
    await receiver().deliver(MESSAGE);
    const [one, other] = server.deliveries;
    expect([one!.id, one!.body]).toEqual([other!.id, other!.body]);
  });

  test.each([200, 201, 202, 204])('has taken it with %i', async (status) => {
    server.answer = answering(status);
    await expect(receiver().deliver(MESSAGE)).resolves.toBeUndefined();
  });

  test.each([
    [400, 'it answered 400'],
    [410, 'it answered 410'],
    [500, 'it answered 500'],
    [302, 'it answered 302, and no redirect is followed'],
    [307, 'it answered 307, and no redirect is followed'],
  ])('has not taken it with %i', async (status, why) => {
    server.answer = answering(status, { location: server.url });
    await expect(receiver().deliver(MESSAGE)).rejects.toThrow(why);
    expect(server.deliveries).toHaveLength(1);
  });

  test('has not taken it while it hangs', async () => {
    server.answer = HANGS;
    await expect(receiver(50).deliver(MESSAGE)).rejects.toThrow('it did not answer within 0.05 seconds');
  });

  test('has taken it when its answer never ends, of which little is read', async () => {
    let hasEnded = false;
    let written = 0;
    server.answer = (response) => {
      response.writeHead(200).on('close', () => (hasEnded = true));
      const chunk = Buffer.alloc(65_536);
      const write = (): void => {
        written += chunk.length;
        if (!hasEnded && response.write(chunk)) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    };
    await receiver().deliver(MESSAGE);
    await eventually(async () => hasEnded);
    // No more than the buffers of the operating system take.
    expect(written).toBeLessThan(50_000_000);
  });

  test('has not taken it when nobody is there, and the reason names no address', async () => {
    const gone = await WebhookServer.start();
    await gone.stop();
    const why = await receiver(undefined, `${gone.url}?token=secret`)
      .deliver(MESSAGE)
      .catch((error: Error) => error.message);
    expect(why).toBe('it could not be reached (ECONNREFUSED)');
  });

  test('has not taken it when it speaks no HTTP, or hangs up', async () => {
    for (const words of ['220 mail.example.com ESMTP\r\n', '']) {
      const other = createServer((socket) => void socket.resume().end(words));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as { port: number };
      await expect(receiver(undefined, `http://127.0.0.1:${port}/`).deliver(MESSAGE)).rejects.toThrow(
        /^it could not be reached \((HPE_\w+|ECONNRESET|EPIPE)\)$/,
      );
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test('is left at the end of the service', async () => {
    server.answer = HANGS;
    const leaving = receiver();
    const delivery = leaving.deliver(MESSAGE).catch((error: Error) => error.message);
    await eventually(async () => server.deliveries.length === 1);
    leaving.close();
    expect(await delivery).toBe('the service ended');
  });
});
