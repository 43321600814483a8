import type { ServerDuplexStream } from '@grpc/grpc-js';
import { IMPORTED_AT_ONCE, type ImportKeys, type ImportOutcome } from '#application/keys/import-keys.js';
import type { Actor } from '#domain/audit/audit-event.js';
import type { ImportedLine } from '#domain/keys/imported-key.js';
import type * as proto from '../generated/types.js';
import { inProtoSpelling } from '../../shared/error-table.js';
import type { Each } from '../grpc-door.js';
import { accessIn, timeIn } from './key-messages.js';

export type ImportCall = ServerDuplexStream<proto.ImportKeyRequest__Output, proto.ImportKeyResponse>;

interface Importing {
  readonly importKeys: ImportKeys;
  readonly each: Each;
  readonly actor: Actor;
}

/**
 * Imports what has arrived, in batches, and answers in the order of the requests. Reads no further while a batch is being
 * imported. Rejects when a batch can't be stored: its requests have no answer, and the caller may send them again.
 */
export async function importStream(call: ImportCall, { importKeys, each, actor }: Importing): Promise<void> {
  let position = 0;
  for await (const requests of batchesOf(call)) {
    const lines = requests.map(lineIn);
    const outcomes = await each(() => importKeys.execute(lines, actor));
    for (const outcome of outcomes) call.write(toWire(outcome, (position += 1)));
    if (call.writableNeedDrain) await drained(call);
  }
  call.end();
}

/** Also resolves when the stream is closed instead. */
function drained(call: ImportCall): Promise<void> {
  return new Promise((resolve) => {
    const proceed = () => {
      call.off('drain', proceed).off('close', proceed);
      resolve();
    };
    call.on('drain', proceed).on('close', proceed);
  });
}

/** What has been read at each time, until the client or a shutdown ends the stream. */
async function* batchesOf(call: ImportCall): AsyncIterable<proto.ImportKeyRequest__Output[]> {
  let read: proto.ImportKeyRequest__Output[] = [];
  let hasEnded = false;
  let wake: () => void = () => undefined;
  const end = () => {
    hasEnded = true;
    wake();
  };
  call.on('data', (request: proto.ImportKeyRequest__Output) => {
    if (hasEnded) return;
    read.push(request);
    if (read.length >= IMPORTED_AT_ONCE) call.pause();
    wake();
  });
  for (const event of ['end', 'close', 'cancelled', 'drain-requested']) call.once(event, end);
  for (;;) {
    if (read.length === 0 && hasEnded) return;
    if (read.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    // What has arrived together is imported together.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = read;
    read = [];
    if (batch.length > 0) yield batch;
    if (!hasEnded) call.resume();
  }
}

function lineIn({ access, expiresAt, ...request }: proto.ImportKeyRequest__Output): ImportedLine {
  return {
    ...request,
    access: accessIn(access),
    expiresAt: timeIn(expiresAt),
  };
}

function toWire(outcome: ImportOutcome, position: number): proto.ImportKeyResponse {
  if ('refused' in outcome) return { position, error: (inProtoSpelling(outcome.refused) as Error).message };
  return { position, keyId: outcome.keyId };
}
