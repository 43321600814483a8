import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../scripts/lib/paths.mjs';
import type { Tree } from './chart.js';

/** No file exists here: only the compiler sees it, in a folder from which the types can be imported. */
const FILE = join(root, 'test/deploy/rendered-objects.ts');

/**
 * The errors that Kubernetes' own types find in objects. The objects are literals, so that an unknown field is an
 * error, too: an API server would drop it silently. Kinds of other projects (monitoring.coreos.com) have no types here
 * and are left out.
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
