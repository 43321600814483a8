import { type ChildProcess, spawn } from 'node:child_process';
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import type { OutboxMessage } from '#application/notice-ports.js';
import { WebhookReceiver } from '#infrastructure/outbound/webhooks/webhook-receiver.js';
import { eventually } from '../support/eventually.js';
import { blocksOf } from '../support/reading/pages.js';

const SECRETS = [randomBytes(32), randomBytes(32)];
const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The receiver of a page's block, as a reader would start it, and what it prints. */
async function start(command: string, file: string, code: string) {
  writeFileSync(join(folder, file), code);
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: `whsec_${SECRETS[1]!.toString('base64')}` };
  const child = spawn(command, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return { url: `http://127.0.0.1:${port}/`, printed: () => printed };
}

const message = (): OutboxMessage => {
  const data = { sequence: 7, keyId: randomUUID(), ownerId: 'u1', name: 'Zoë’s 🔑', prefix: 'lk_0123456789ab…' };
  const expiresAt = '2026-03-30T00:30:00.000Z';
  const notice = { type: 'api_key.expired', timestamp: new Date(), recipient: null } as const;
  return { id: randomUUID(), ...notice, data: { ...data, expiresAt } };
};
const SIGNAL = new AbortController().signal;
const sender = (url: string, ...secrets: Buffer[]) =>
  new WebhookReceiver({ url, secrets: secrets.map((secret) => createSecretKey(secret)) });

describe('the receivers of docs/notices.md', () => {
  test.each([
    [process.execPath, 'receiver.mjs', blocksOf('docs/notices.md', 'js')[0]!],
    ['python3', 'receiver.py', blocksOf('docs/notices.md', 'python')[0]!],
  ])(
    '%s %s accepts a message that its secret signed, also together with another secret, and no other message',
    async (command, file, code) => {
      const { url, printed } = await start(command, file, code);
      const [alone, twice, forged] = [message(), message(), message()];
      await eventually(() =>
        sender(url, SECRETS[1]!)
          .deliver(alone, SIGNAL)
          .then(
            () => true,
            () => false,
          ),
      );
      await sender(url, ...SECRETS).deliver(twice, SIGNAL);
      await expect(sender(url, SECRETS[0]!).deliver(forged, SIGNAL)).rejects.toThrow('it answered 400');
      const lineOf = ({ id, type, data }: OutboxMessage) => `${id} ${type} ${data.keyId} ${data.sequence}\n`;
      await eventually(async () => printed() === lineOf(alone) + lineOf(twice));
    },
  );
});
