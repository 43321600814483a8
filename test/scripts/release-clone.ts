import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

/** No release, package or image contains them. */
const LEFT_OUT = ['test', 'docs', 'bench'].map((path) => `:!${path}`);
const UNRELEASED = '## Unreleased\n\n### Fixed\n\n- A fault.\n\n';

/** The version of the clone. */
export const BEGUN = '98.0.0';

/** A clone of this checkout, with its changes, on a branch that follows another; one fix is unreleased. */
export class ReleaseClone {
  private readonly base = mkdtempSync(join(tmpdir(), 'release-'));
  readonly folder = join(this.base, 'latchkey');

  static async make(): Promise<ReleaseClone> {
    const clone = new ReleaseClone();
    const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', '.', ...LEFT_OUT]);
    const files = listed.output.trim().split('\n');
    for (const file of files.filter((each) => existsSync(join(root, each)))) {
      mkdirSync(join(clone.folder, dirname(file)), { recursive: true });
      cpSync(join(root, file), join(clone.folder, file));
    }
    for (const modules of ['node_modules', 'web/node_modules'].filter((path) => existsSync(join(root, path)))) {
      symlinkSync(join(root, modules), join(clone.folder, modules));
    }
    clone.write('CHANGELOG.md', clone.read('CHANGELOG.md').replace(/^## Unreleased\n[^]*?(?=^## \d)/m, UNRELEASED));
    await clone.versions('--begin', BEGUN);
    await clone.git('init', '--quiet', '--initial-branch=main');
    clone.write('.git/info/exclude', 'node_modules\n');
    await clone.git('config', 'user.name', 'A maintainer');
    await clone.git('config', 'user.email', 'maintainer@example.com');
    await clone.git('add', '--all');
    await clone.git('commit', '--quiet', '--message', 'Everything');
    await clone.git('init', '--quiet', '--bare', '../origin');
    await clone.git('remote', 'add', 'origin', '../origin');
    await clone.git('push', '--quiet', '--set-upstream', 'origin', 'main');
    return clone;
  }

  /** @returns its exit code and what it printed, without the variables that npm sets for the run of the tests */
  run(command: string, ...args: string[]): Promise<{ code: number; output: string }> {
    const env = { PATH: process.env['PATH'], HOME: this.base, TMPDIR: tmpdir() };
    return run(command, args, { cwd: this.folder, env });
  }

  async git(...args: string[]): Promise<string> {
    const { code, output } = await this.run('git', ...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
    return output;
  }

  /** `npm run release -- …args` */
  release(...args: string[]) {
    return this.run(process.execPath, 'scripts/release/release.mjs', ...args);
  }

  /** The check that every place has one version. */
  versions(...args: string[]) {
    return this.run(process.execPath, 'scripts/release/versions.mjs', ...args);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Replaces a text that must be there, and commits. */
  async commit(file: string, part: string, replacement: string): Promise<void> {
    const before = this.read(file);
    if (!before.includes(part)) throw new Error(`${file} does not contain ${part}`);
    this.write(file, before.replace(part, replacement));
    await this.git('commit', '--quiet', '--all', '--message', 'A change');
  }

  /** As it was made. */
  async reset(): Promise<void> {
    await this.git('reset', '--quiet', '--hard', 'origin/main');
    await this.git('clean', '--force', '-d', '--quiet');
    rmSync(join(this.folder, 'release'), { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
