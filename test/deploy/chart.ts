import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { searchPath } from '../../scripts/testing/programs.mjs';

const CHART = join(root, 'deploy/helm/latchkey');
const read = (path: string) => readFileSync(join(CHART, path), 'utf8');

/** Parsed YAML. A missing field fails the test that reads it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Tree = { [name: string]: any };

/** The values that docs/operate.md requires. */
export const LEAST: Tree = {
  env: { PUBLIC_URL: 'https://keys.example.com' },
  secrets: { DATABASE_URL: { existingSecret: 'latchkey' }, SERVICE_TOKENS: { existingSecret: 'latchkey' } },
};

/** Combines values with the chart's own like Helm: maps are merged, everything else is replaced. */
export function valuesWith(...overrides: readonly Tree[]): Tree {
  return overrides.reduce<Tree>(merge, parse(read('values.yaml')) as Tree);
}

/** The errors that Helm would report for values, by the chart's schema, before it renders anything. */
export function problemsOf(values: Tree): string[] {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(read('values.schema.json')));
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export interface Rendered {
  readonly objects: Tree[];
  readonly notes: string;
  readonly error: string | undefined;
}

/** Renders the chart with Helm. @param releases name → values */
export async function renderChart<Name extends string>(releases: Record<Name, Tree>): Promise<Record<Name, Rendered>> {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    cpSync(CHART, folder, { recursive: true });
    // `helm template` leaves NOTES.txt out.
    cpSync(join(CHART, 'templates/NOTES.txt'), join(folder, 'NOTES.txt'));
    writeFileSync(join(folder, 'templates/notes.yaml'), `notes: {{ tpl (.Files.Get "NOTES.txt") . | toJson }}\n`);
    const rendered: [string, Rendered][] = [];
    for (const [release, values] of Object.entries<Tree>(releases)) {
      rendered.push([release, await renderRelease(folder, release, values)]);
    }
    return Object.fromEntries(rendered) as Record<Name, Rendered>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function renderRelease(folder: string, release: string, values: Tree): Promise<Rendered> {
  const args = ['template', release, folder, '--namespace', 'keys', '--kube-version', '1.31.0', '--values', '-'];
  const env = { ...process.env, PATH: searchPath() };
  const { code, output } = await run('helm', args, { input: JSON.stringify(values), env });
  if (code !== 0) return { objects: [], notes: '', error: output };
  const documents = parseAllDocuments(output).map((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors.join()}\n${output}`);
    return document.toJS() as Tree | null;
  });
  const objects = documents.filter((document) => document !== null);
  const notes = objects.find(({ kind }) => kind === undefined)?.['notes'] as string;
  return { objects: objects.filter(({ kind }) => kind !== undefined), notes, error: undefined };
}

export function only(objects: readonly Tree[], kind: string): Tree {
  const found = objects.filter((object) => object['kind'] === kind);
  if (found.length !== 1) throw new Error(`${found.length} objects are of kind ${kind}`);
  return found[0]!;
}

function merge(under: Tree, over: Tree): Tree {
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = Object.entries(over).map(([name, value]) => [
    name,
    isMap(value) && isMap(under[name]) ? merge(under[name] as Tree, value as Tree) : value,
  ]);
  return { ...under, ...Object.fromEntries(merged) };
}
