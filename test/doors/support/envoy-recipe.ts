import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { parse } from 'yaml';
import { root } from '../../../scripts/lib/paths.mjs';
import { snippetOf } from '#test/support/reading/pages.js';

interface Filter {
  readonly name: string;
  readonly typed_config: {
    readonly failure_mode_allow: boolean;
    readonly status_on_error: { readonly code: string };
    readonly grpc_service: {
      readonly initial_metadata: readonly { readonly key: string; readonly value: string }[];
    };
  };
}

interface Route {
  readonly match: { readonly headers?: readonly { readonly name: string; readonly string_match: object }[] };
  readonly typed_per_filter_config?: {
    readonly 'envoy.filters.http.ext_authz'?: {
      readonly check_settings?: { readonly context_extensions?: Readonly<Record<string, string>> };
    };
  };
}

interface VirtualHost {
  readonly routes: readonly Route[];
}

interface Proxying {
  readonly http_filters: readonly Filter[];
  readonly route_config: { readonly virtual_hosts: readonly VirtualHost[] };
}

interface Bootstrap {
  readonly static_resources: {
    readonly listeners: { filter_chains: { filters: { typed_config: Proxying }[] }[] }[];
  };
}

/** deploy/envoy.yaml */
const recipe = parse(readFileSync(join(root, 'deploy/envoy.yaml'), 'utf8')) as Bootstrap;
const recipeProxying = recipe.static_resources.listeners[0]!.filter_chains[0]!.filters[0]!.typed_config;
export const recipeFilter = recipeProxying.http_filters.find(({ name }) => name === 'envoy.filters.http.ext_authz')!;
export const recipeRoutes = recipeProxying.route_config.virtual_hosts[0]!.routes;

/** The excerpt of it in docs/edge.md. */
export const excerpt = parse(snippetOf('docs/edge.md', 'Envoy', 'yaml')) as { routes: [Route] };

/** The metadata that Envoy adds to every check. %ENVIRONMENT(…)% is its syntax for a variable. */
export function identityOf({ typed_config }: Filter, environment: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const { key, value } of typed_config.grpc_service.initial_metadata) {
    metadata.set(
      key,
      value.replace(/%ENVIRONMENT\((\w+)\)%/g, (_, name: string) => environment[name] ?? '-'),
    );
  }
  return metadata;
}

/** What Envoy sends about the route of a request; {} if the route has no settings. */
export function settingsOf({ typed_per_filter_config }: Route): Readonly<Record<string, string>> {
  return typed_per_filter_config?.['envoy.filters.http.ext_authz']?.check_settings?.context_extensions ?? {};
}
