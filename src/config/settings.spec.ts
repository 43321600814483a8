import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { readConfig } from './config.js';
import { SETTINGS } from './settings.js';

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
const file = join(folder, 'some.json');
writeFileSync(file, '[]');
const roles = join(folder, 'roles.json');
writeFileSync(roles, '{}');
afterAll(() => rmSync(folder, { recursive: true }));

const digest = createHash('sha256').update('token').digest('hex');
const SECRETS = [
  'S3cret-of-the-database',
  'S3cret-of-Redis',
  'S3cret-of-the-client',
  'S3cret-in-a-query',
  '5e'.repeat(32),
  digest,
  Buffer.alloc(32, 'signs').toString('base64'),
  'S3cret-of-mail',
];

describe('the settings in the log', () => {
  const examples = readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#([A-Z][A-Z_]+)=(.*)$/gm);
  const env = {
    ...Object.fromEntries([...examples].map(([, name, value]) => [name, value])),
    DATABASE_URL: `postgres://latchkey:${SECRETS[0]}@db:5433,db2:5434/keys?sslpassword=${SECRETS[3]}`,
    REDIS_URL: `redis://:${SECRETS[1]}@cache:6379/2`,
    OIDC_CLIENT_SECRET: SECRETS[2],
    WEBHOOK_URL: `https://hooks.example.com/in?token=${SECRETS[3]}`,
    WEBHOOK_SECRET: `whsec_${SECRETS[6]}`,
    AUDIT_SEAL_KEY: SECRETS[4],
    SMTP_URL: `smtps://latchkey:${SECRETS[7]}@mail.example.com?name=keys.example.com`,
    SERVICE_TOKENS: `gateway:validator:${digest}`,
    SIGN_IN_ROLES: roles,
    ...Object.fromEntries(
      ['FORWARD_AUTH_ROUTES', 'GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CLIENT_CA'].map((name) => [name, file]),
    ),
  };
  const shown = readConfig(env).shown;

  test('include every variable that the service reads', () => {
    const named = Object.keys(SETTINGS).filter((name) => name !== 'NODE_ENV');
    const names = Object.entries(shown).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    expect(names).toEqual(expect.arrayContaining(named));
  });

  test('show the places of the stores and no secrets', () => {
    expect(shown).toMatchObject({
      DATABASE_URL: 'postgres://db:5433/keys postgres://db2:5434/keys',
      REDIS_URL: 'redis://cache:6379/2',
      SMTP_URL: 'smtps://mail.example.com:465',
      SERVICE_TOKENS: ['gateway:validator'],
      AUDIT_SEAL_KEY: 1,
    });
    for (const secret of SECRETS) expect(JSON.stringify(shown)).not.toContain(secret);
  });
});
