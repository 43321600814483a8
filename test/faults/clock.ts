import { readdirSync, existsSync, mkdtempSync, chmodSync, writeFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

/** A preloaded library that gives a process another time than the machine's. */
function library(): string {
  for (const folder of readdirSync(LIBRARIES)) {
    const file = join(LIBRARIES, folder, 'faketime/libfaketime.so.1');
    if (existsSync(file)) return file;
  }
  throw new Error(`faketime is missing: there is no faketime/libfaketime.so.1 under ${LIBRARIES}`);
}

/** A clock that the test sets, for the processes that are started with its `env`. */
export class Clock {
  private readonly folder = mkdtempSync(join(tmpdir(), 'clock-'));
  private readonly file = join(this.folder, 'clock');

  constructor(offsetSeconds = 0) {
    chmodSync(this.folder, 0o711);
    this.set(offsetSeconds);
  }

  get env(): Record<string, string> {
    return {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      // Durations use another clock, which is not changed.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** @param offsetSeconds from the machine's clock */
  set(offsetSeconds: number): void {
    const next = `${this.file}.next`;
    writeFileSync(next, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}`, { mode: 0o644 });
    // The file is replaced as a whole, so that no process reads half of it.
    renameSync(next, this.file);
  }
}
