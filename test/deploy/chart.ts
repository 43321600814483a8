import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

const CHART = join(root, 'deploy/helm/latchkey');
const RENDERER = ['main.go', 'yaml.go'].map((file) => join(root, 'test/deploy/render-chart', file));
const read = (path: string) => readFileSync(join(CHART, path), 'utf8');

/** Parsed YAML. A missing field fails the test that reads it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Tree = { [name: string]: any };

/** The values that docs/operations.md requires. */
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

/** @param releases name → values */
export async function renderChart<Name extends string>(releases: Record<Name, Tree>): Promise<Record<Name, Rendered>> {
  const files = readdirSync(join(CHART, 'templates'));
  const templates = Object.fromEntries(files.map((file) => [file, read(`templates/${file}`)]));
  const { name, version, appVersion } = parse(read('Chart.yaml')) as Tree;
  const data = Object.entries<Tree>(releases).map(([release, values]) => [
    release,
    {
      Values: values,
      Chart: { Name: name, Version: version, AppVersion: appVersion },
      Release: { Name: release, Namespace: 'keys', Service: 'Helm' },
    },
  ]);
  const input = JSON.stringify({ Templates: templates, Releases: Object.fromEntries(data) });
  // Outside of any Go module, because it imports only Go's standard library. Go's build cache is under HOME.
  const env = { HOME: tmpdir(), ...process.env, GO111MODULE: 'off' };
  const { code, output } = await run('go', ['run', ...RENDERER], { input, env });
  if (code !== 0) throw new Error(output);
  const results = JSON.parse(output) as Record<Name, { texts?: Record<string, string>; error?: string }>;
  return Object.fromEntries(
    Object.entries<{ texts?: Record<string, string>; error?: string }>(results).map(([release, { texts, error }]) => [
      release,
      { objects: objectsIn(texts ?? {}), notes: texts?.['NOTES.txt'] ?? '', error },
    ]),
  ) as Record<Name, Rendered>;
}

export function only(objects: readonly Tree[], kind: string): Tree {
  const found = objects.filter((object) => object['kind'] === kind);
  if (found.length !== 1) throw new Error(`${found.length} objects are of kind ${kind}`);
  return found[0]!;
}

function objectsIn(texts: Record<string, string>): Tree[] {
  return Object.entries(texts)
    .filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([file, text]) =>
      parseAllDocuments(text).map((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join()}\n${text}`);
        return document.toJS() as Tree | null;
      }),
    )
    .filter((object) => object !== null);
}

function merge(under: Tree, over: Tree): Tree {
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = Object.entries(over).map(([name, value]) => [
    name,
    isMap(value) && isMap(under[name]) ? merge(under[name] as Tree, value as Tree) : value,
  ]);
  return { ...under, ...Object.fromEntries(merged) };
}
