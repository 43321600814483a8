import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../scripts/lib/paths.mjs';
import type { Tree } from './chart.js';

/** Where no file is: the compiler alone sees it, beside those that may import the types. */
const FILE = join(root, 'test/deploy/rendered-objects.ts');

/**
 * What Kubernetes' own types say of objects, as literals, so that a field nobody knows is told too: an API server would
 * drop it in silence. Kinds of other projects (monitoring.coreos.com) have no types here and are left out.
 */
export function typeProblems(objects: readonly Tree[]): string[] {
  const known = objects.filter(({ apiVersion }) => !String(apiVersion).includes('.com/'));
  const text = known.map((object) => {
    const { apiVersion, kind } = object;
    const type = `import('kubernetes-models/${apiVersion}').I${kind}`;
    return `(${JSON.stringify(object)}) satisfies ${type};`;
  });
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.readFile = (name) => (name === FILE ? text.join('\n') : readFile(name));
  host.getSourceFile = (name, target, ...rest) =>
    name === FILE ? ts.createSourceFile(name, text.join('\n'), target) : getSourceFile(name, target, ...rest);
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0, file }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line : 0;
    const { kind, metadata } = known[line] ?? {};
    return `${kind} ${metadata?.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
