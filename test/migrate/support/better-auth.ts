import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { run } from '../../../scripts/lib/run.mjs';

/** A key that better-auth made, as its owner got it. */
export interface MadeKey {
  readonly key: string;
  readonly ownerId: string;
  readonly name: string | null;
}

const PACKAGES = ['better-auth@1.7.25', '@better-auth/api-key@1.7.5', 'pg@8'];

/** better-auth from npm, in a folder of its own: it makes its tables in a database, and keys in them. */
export class BetterAuth {
  private readonly folder = mkdtempSync(join(tmpdir(), 'better-auth-'));

  async install(): Promise<void> {
    writeFileSync(join(this.folder, 'package.json'), '{"private": true}');
    // The plugin's peers are one release of a helper library behind better-auth's own.
    await this.must('npm', 'install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES);
    cpSync(join(root, 'test/migrate/support/better-auth-keys.mjs'), join(this.folder, 'keys.mjs'));
  }

  /** @returns the keys, each of which better-auth itself has verified */
  async makeKeys(url: string, prefix: string, keys: readonly object[]): Promise<MadeKey[]> {
    const output = await this.must(process.execPath, join(this.folder, 'keys.mjs'), url, prefix, JSON.stringify(keys));
    return JSON.parse(output.slice(output.indexOf('[{'))) as MadeKey[];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private async must(command: string, ...args: string[]): Promise<string> {
    const { code, output } = await run(command, args, { cwd: this.folder });
    if (code !== 0) throw new Error(output);
    return output;
  }
}
