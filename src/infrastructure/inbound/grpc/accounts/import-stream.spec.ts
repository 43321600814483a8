import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import type { ImportKeys } from '#application/keys/import-keys.js';
import { type ImportCall, importStream } from './import-stream.js';

const REQUEST = { ownerId: 'u-1', name: 'CI', access: 'ACCESS_LEVEL_READ_ONLY', sha256: Buffer.alloc(32) };
const ACTOR = { actorId: 'service:importer', client: { ip: null, userAgent: null, requestId: null } };
/** Enough to see whether the stream ends before its client stops. */
const SENT = 20;

test('ends at a shutdown, although its client never stops sending', async () => {
  const written: unknown[] = [];
  let sent = 0;
  const call = Object.assign(new EventEmitter(), {
    pause: () => undefined,
    resume: () => undefined,
    write: (response: unknown) => written.push(response),
    end: () => undefined,
  });
  const send = () => {
    if (sent === SENT) return;
    sent += 1;
    call.emit('data', REQUEST);
  };
  const execute = (lines: readonly unknown[]) => {
    call.emit('drain-requested');
    send();
    return Promise.resolve(lines.map(() => ({ keyId: 'k', isNew: true })));
  };
  const importKeys = { execute } as unknown as ImportKeys;
  const importing = importStream(call as unknown as ImportCall, { importKeys, each: (work) => work(), actor: ACTOR });
  send();
  await importing;
  expect(written).toHaveLength(1);
});
