import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { questionFrame } from './proto.mjs';
import { SERVICE_TOKEN } from './service.mjs';

/**
 * Unary ValidateKey calls from h2load, several keys at once.
 * @param {{ port: number, calls: number, keys: readonly string[], folder: string, streams: number }} load `streams`: calls in
 *   flight for each key
 * @returns {Promise<{ succeeded: number, perSecond: number }>} h2load sees HTTP statuses: grants are for the service to count
 */
export async function h2load({ port, calls, keys, folder, streams }) {
  const began = performance.now();
  const results = await Promise.all(
    keys.map((key, index) => h2loadOne({ port, calls: Math.round(calls / keys.length), key, folder, streams, index })),
  );
  const seconds = (performance.now() - began) / 1000;
  const succeeded = results.reduce((sum, count) => sum + count, 0);
  return { succeeded, perSecond: succeeded / seconds };
}

/** @param {{ port: number, calls: number, key: string, folder: string, streams: number, index: number }} load */
async function h2loadOne({ port, calls, key, folder, streams, index }) {
  const body = join(folder, `question-${index}`);
  writeFileSync(body, questionFrame(key));
  const headers = ['content-type: application/grpc', 'te: trailers', `authorization: Bearer ${SERVICE_TOKEN}`].flatMap(
    (header) => ['-H', header],
  );
  const url = `http://127.0.0.1:${port}/latchkey.v1.ApiKeyService/ValidateKey`;
  const { code, output } = await run('h2load', [
    '-n',
    String(calls),
    '-c',
    '1',
    '-m',
    String(streams),
    '-d',
    body,
    ...headers,
    url,
  ]);
  const done = /(\d+) succeeded/.exec(output);
  if (code !== 0 || !done) throw new Error(`h2load failed:\n${output}`);
  return Number(done[1]);
}
