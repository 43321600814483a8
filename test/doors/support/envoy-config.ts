import type { Enum, Field, Root, Type } from 'protobufjs';
import { envoyApi } from './envoy-api.js';

const EXTENSIONS = 'envoy/extensions';
const api: Root = envoyApi([
  'envoy/config/bootstrap/v3/bootstrap.proto',
  `${EXTENSIONS}/filters/network/http_connection_manager/v3/http_connection_manager.proto`,
  `${EXTENSIONS}/filters/http/ext_authz/v3/ext_authz.proto`,
  `${EXTENSIONS}/filters/http/router/v3/router.proto`,
  `${EXTENSIONS}/upstreams/http/v3/http_protocol_options.proto`,
]);

type Json = Readonly<Record<string, unknown>>;

/** Types whose JSON form is a single value. */
const SCALAR_MESSAGES = /^\.google\.protobuf\.(\w+Value|Duration)$/;

/**
 * Finds the places in a configuration that do not match Envoy's API: unknown names and enum values, and values that
 * should be lists or messages. If Envoy refuses a configuration for one of these reasons, the result is not empty.
 */
export function faultsOf(config: unknown, typeName = 'envoy.config.bootstrap.v3.Bootstrap'): string[] {
  return ofMessage(config, api.lookupType(typeName), '');
}

function ofMessage(value: unknown, type: Type, place: string): string[] {
  if (type.fullName === '.google.protobuf.Any') {
    const { '@type': url, ...fields } = value as Json & { '@type': string };
    return ofMessage(fields, api.lookupType(url.split('/')[1]!), place);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${place} is not a valid ${type.name}`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = type.fields[name];
    return field
      ? ofField(inner, field.resolve(), `${place}.${name}`)
      : [`${place}.${name} is not a field of ${type.name}`];
  });
}

function ofField(value: unknown, field: Field, place: string): string[] {
  if (field.map) return Object.entries(value as Json).flatMap(([key, one]) => ofOne(one, field, `${place}[${key}]`));
  if (Array.isArray(value) !== field.repeated) return [`${place} is ${field.repeated ? 'not a' : 'a'} list`];
  const values: readonly unknown[] = field.repeated ? (value as unknown[]) : [value];
  return values.flatMap((one, index) => ofOne(one, field, field.repeated ? `${place}[${index}]` : place));
}

function ofOne(value: unknown, { resolvedType, type }: Field, place: string): string[] {
  if (resolvedType && 'fields' in resolvedType && !SCALAR_MESSAGES.test(resolvedType.fullName)) {
    return ofMessage(value, resolvedType, place);
  }
  if (typeof value === 'object') return [`${place} is not a valid ${type}`];
  const names = resolvedType && 'values' in resolvedType ? (resolvedType as Enum).values : undefined;
  return names && !(String(value) in names) ? [`${place} is not a valid ${type}`] : [];
}
