import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import type { Tree } from './chart.js';

const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['es2022'],
  target: 'es2022',
  module: 'nodenext',
};
const PROBLEM = /^objects\.ts\((?<line>\d+),\d+\): (?<text>.*)$/;

/**
 * The errors that Kubernetes' own types find in objects. The objects are literals, so that an unknown field, which an API
 * server would drop silently, is an error, too. Kinds of other projects (monitoring.coreos.com) have no types here and
 * are left out.
 */
export async function typeProblems(objects: readonly Tree[]): Promise<string[]> {
  const known = objects.filter(({ apiVersion }) => !String(apiVersion).includes('.com/'));
  const text = known.map((object) => {
    const { apiVersion, kind } = object;
    const type = `import('kubernetes-models/${apiVersion}').I${kind}`;
    return `(${JSON.stringify(object)}) satisfies ${type};`;
  });
  const problems = await compile(text.join('\n'));
  return problems.map((problem) => {
    const { line, text: what } = PROBLEM.exec(problem)?.groups ?? {};
    const { kind, metadata } = known[Number(line) - 1] ?? {};
    return line ? `${kind} ${metadata?.name}: ${what}` : problem;
  });
}

/** @returns what the compiler prints, a line for each problem */
async function compile(text: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-kubernetes-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'objects.ts'), text);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['objects.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { output } = await run(process.execPath, [compiler, '--pretty', 'false'], { cwd: folder });
    return output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith(' '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
