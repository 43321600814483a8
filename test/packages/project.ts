import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

/**
 * A project of a user of the guard, with the guard installed from its tarball by npm. Beside the guard there are only
 * the packages that its package.json declares and that the project itself asks for, as links into this checkout. A
 * package that the guard needs but does not declare is not found. Nothing is fetched.
 */
export class Project {
  constructor(
    readonly folder: string,
    private readonly type: 'module' | 'commonjs',
    private readonly packages: readonly string[],
  ) {}

  async install(tarball: string): Promise<this> {
    this.declare({ '@latchkey/guard': tarball });
    const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code, output } = await run('npm', args, { cwd: this.folder });
    if (code !== 0) throw new Error(output);
    return this;
  }

  /** The same with what npm has unpacked in another project: nothing is built, so npm would do the same again. */
  installAs(other: Project): this {
    this.declare({});
    const unpacked = 'node_modules/@latchkey/guard';
    cpSync(join(other.folder, unpacked), join(this.folder, unpacked), { recursive: true });
    return this;
  }

  write(file: string, text: string): string {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, file), text);
    return join(this.folder, file);
  }

  private declare(guard: Readonly<Record<string, string>>): void {
    const declared = JSON.parse(readFileSync(join(root, 'clients/node/package.json'), 'utf8')) as Manifest;
    for (const name of [...Object.keys(declared.dependencies), ...this.packages]) this.link(name);
    const dependencies = Object.fromEntries(this.packages.map((name) => [name, '*']));
    const manifest = { private: true, type: this.type, dependencies: { ...dependencies, ...guard } };
    this.write('package.json', JSON.stringify(manifest));
  }

  private link(name: string): void {
    const link = join(this.folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}
