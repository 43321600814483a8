import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import type { Tree } from './chart.js';

/** The published definitions of the resources in deploy/gateways, in Go modules, by the folder or file in the module. */
const MODULES = {
  'sigs.k8s.io/gateway-api@v1.6.3': 'config/crd/experimental',
  'istio.io/api@v1.32.0': 'kubernetes/customresourcedefinitions.gen.yaml',
  'github.com/envoyproxy/gateway@v1.9.1': 'charts/gateway-crds-helm/templates/generated',
};
/** Nobody publishes a definition of these: the mesh's settings, a resource of a module that is not served, and no resource. */
const WITHOUT_DEFINITION = ['IstioOperator', 'SnippetsFilter', undefined];

const GATEWAYS = join(root, 'deploy/gateways');
const RESOURCES = readdirSync(GATEWAYS).flatMap((file) =>
  documentsOf(join(GATEWAYS, file)).map((resource) => ({
    file,
    kind: resource['kind'] as string | undefined,
    resource,
  })),
);
const DEFINED = RESOURCES.filter(({ kind }) => !WITHOUT_DEFINITION.includes(kind));

function documentsOf(path: string): Tree[] {
  return parseAllDocuments(readFileSync(path, 'utf8'))
    .map((document) => document.toJS() as Tree)
    .filter(Boolean);
}

/** A definition allows no field that it does not name, unless it says so. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, strict(part)]));
  const isOpen =
    parts['x-kubernetes-preserve-unknown-fields'] || 'additionalProperties' in parts || !parts['properties'];
  return isOpen || parts['type'] !== 'object' ? parts : { ...parts, additionalProperties: false };
}

const schemas = new Map<string, ValidateFunction>();
const nameOf = ({ apiVersion, kind }: Tree) => `${apiVersion} ${kind}`;

beforeAll(async () => {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { int32: true, int64: true, 'date-time': true } });
  for (const [module, path] of Object.entries(MODULES)) {
    // Outside of the checkout, where no go.mod speaks of other modules.
    // oxlint-disable-next-line no-await-in-loop
    const { output } = await run('go', ['mod', 'download', '-json', module], {
      cwd: tmpdir(),
    });
    const { Dir: folder, Error: problem } = JSON.parse(output) as { Dir?: string; Error?: string };
    if (!folder) throw new Error(problem ?? output);
    const files = path.endsWith('.yaml') ? [path] : readdirSync(join(folder, path)).map((file) => join(path, file));
    for (const file of files.filter((each) => each.endsWith('.yaml'))) {
      for (const { kind, spec } of documentsOf(join(folder, file))) {
        if (kind !== 'CustomResourceDefinition') continue;
        for (const { name, schema } of spec.versions) {
          const id = nameOf({ apiVersion: `${spec.group}/${name}`, kind: spec.names.kind });
          const { properties } = schema.openAPIV3Schema;
          schemas.set(id, ajv.compile(strict(properties.spec) as object));
        }
      }
    }
  }
}, 600_000);

function problemsOf(resource: Tree): string[] {
  const validate = schemas.get(nameOf(resource));
  if (!validate) return [`${nameOf(resource)} is not defined`];
  validate(resource['spec']);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${Object.values(params)}`,
  );
}

describe('the recipes for gateways', () => {
  test.each(DEFINED)('$kind in $file has the fields that its publisher defines', ({ resource }) => {
    expect(problemsOf(resource)).toEqual([]);
  });

  test('are all checked, but for those without a definition', () => {
    expect(DEFINED.length).toBeGreaterThan(5);
    const without = RESOURCES.filter(({ resource }) => !DEFINED.some((each) => each.resource === resource));
    expect(new Set(without.map(({ file }) => file))).toEqual(
      new Set(['apisix.yaml', 'istio.yaml', 'nginx-gateway-fabric.yaml']),
    );
  });

  test('would not pass with a field that nobody knows', () => {
    const [{ resource }] = DEFINED as [(typeof DEFINED)[number]];
    const planted = { ...resource, spec: { ...resource['spec'], extAuht: {} } };
    expect(problemsOf(planted)).toEqual([expect.stringContaining('extAuht')]);
  });
});
