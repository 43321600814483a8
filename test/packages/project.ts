import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

/**
 * A project of a user of one of our packages, which npm installs from its tarball. It has only the packages that our
 * package.json declares and those that the project itself requires, as links into this checkout. A package that ours
 * needs but does not declare is not found. Nothing is downloaded.
 */
export class Project {
  constructor(
    readonly folder: string,
    private readonly type: 'module' | 'commonjs',
    private readonly packages: readonly string[],
    /** The workspace of our package. */
    private readonly workspace = 'clients/node',
  ) {}

  async install(tarball: string): Promise<this> {
    this.declare(tarball);
    // npm knows no versions of linked packages, and does not find peers in them.
    const args = ['install', '--offline', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code, output } = await run('npm', args, { cwd: this.folder });
    if (code !== 0) throw new Error(output);
    return this;
  }

  /** Copies the package that npm has unpacked in another project. npm would do the same again, because nothing is built. */
  installAs(other: Project): this {
    this.declare();
    const unpacked = join('node_modules', this.ours.name);
    cpSync(join(other.folder, unpacked), join(this.folder, unpacked), { recursive: true });
    return this;
  }

  write(file: string, text: string): string {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  private get ours(): Manifest {
    return JSON.parse(readFileSync(join(root, this.workspace, 'package.json'), 'utf8')) as Manifest;
  }

  private declare(tarball?: string): void {
    const { name: ours, dependencies: needed } = this.ours;
    for (const name of new Set([...Object.keys(needed), ...this.packages])) this.link(name);
    const dependencies = Object.fromEntries(this.packages.map((name) => [name, '*']));
    const packed = tarball === undefined ? {} : { [ours]: tarball };
    const manifest = { private: true, type: this.type, dependencies: { ...dependencies, ...packed } };
    this.write('package.json', JSON.stringify(manifest));
  }

  private link(name: string): void {
    const link = join(this.folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
