import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

const PROTO_ROOT = join(root, 'proto');
const isService = /^service /m;

const files = readdirSync(PROTO_ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.proto'))
  .filter((file) => isService.test(readFileSync(join(PROTO_ROOT, file), 'utf8')));

/** Every service in the files of proto/, by name, so that no door is forgotten. */
export const PROTO_SERVICES = Object.fromEntries(
  Object.entries(loadSync(files, { includeDirs: [PROTO_ROOT] })).filter(([, { format }]) => format === undefined),
) as Readonly<Record<string, ServiceDefinition>>;
