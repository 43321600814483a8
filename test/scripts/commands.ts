import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The commands of a machine of our own making: with only `folder` as PATH, nothing is there but what is provided. */
export class Commands {
  readonly folder = mkdtempSync(join(tmpdir(), 'bin-'));

  provide(command: string, script = ''): void {
    writeFileSync(join(this.folder, command), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  withdraw(command: string): void {
    rmSync(join(this.folder, command));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
