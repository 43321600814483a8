import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The commands of an artificial machine: with `folder` as its PATH, it has only those that a test provides. */
export class Commands {
  readonly folder = mkdtempSync(join(tmpdir(), 'bin-'));

  provide(command: string, script = ''): void {
    writeFileSync(join(this.folder, command), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
