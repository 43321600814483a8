import { Log } from '#infrastructure/telemetry/log.js';
import type { Entry } from './printed-log.js';

export const SILENT = new Log('silent');

/** A log that a test reads. */
export function keptLog(level = 'info') {
  const entries: Entry[] = [];
  const log = new Log(level, { write: (line) => void entries.push(JSON.parse(line) as Entry) });
  return { log, entries };
}
