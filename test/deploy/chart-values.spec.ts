import { describe, expect, test } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { LEAST, problemsOf, renderChart, only, type Tree, valuesWith } from './chart.js';

describe('the chart’s values', () => {
  test('are refused without an address and secrets', () => {
    expect(problemsOf(valuesWith())).toEqual(
      expect.arrayContaining([
        '/env/PUBLIC_URL must match pattern "^https?://[^/?#@]+/*$"',
        '/secrets/DATABASE_URL/existingSecret must NOT have fewer than 1 characters',
        '/secrets/SERVICE_TOKENS/existingSecret must NOT have fewer than 1 characters',
      ]),
    );
  });

  test('are complete with an address, a database and service tokens', () => {
    expect(problemsOf(valuesWith(LEAST))).toEqual([]);
  });

  test('need no service tokens if certificates identify the clients', () => {
    const grpcTls = { existingSecret: 'tls', clientRoles: ['systems.internal:validator'] };
    const withoutTokens = { ...LEAST, secrets: { DATABASE_URL: { existingSecret: 'latchkey' } }, grpcTls };
    expect(problemsOf(valuesWith(withoutTokens))).toEqual([]);
  });

  test.each<[string, Tree]>([
    ['a secret as plain text', { env: { DATABASE_URL: 'postgresql://latchkey:secret@db/latchkey' } }],
    ['a secret as plain text among secrets', { secrets: { DATABASE_URL: { value: 'postgresql://db' } } }],
    ['demo values', { env: { DEMO: '1' } }],
    ['a port', { env: { HTTP_PORT: '80' } }],
    ['a number where the template would write 1e+06', { env: { RATE_LIMIT_BURST: 1_000_000 } }],
    ['a shorter timeout than the service accepts', { env: { DATABASE_PATIENCE_MS: '19' } }],
    ['a longer timeout than the service accepts', { env: { DATABASE_PATIENCE_MS: '60001' } }],
    ['a mail server and its password as plain text', { env: { SMTP_URL: 'smtps://user:secret@mail' } }],
    ['a notice of an expiry after a year', { env: { EXPIRY_NOTICE_DAYS: '365' } }],
    ['a name that is not a variable', { env: { 'public-url': 'https://keys.example.com' } }],
    ['a misspelt section', { autoscalling: { enabled: true } }],
    ['an ingress without a host', { ingress: { enabled: true } }],
    ['an address with a path', { env: { PUBLIC_URL: 'https://example.com/keys' } }],
    ['a route without a permission', { forwardAuth: { routes: [{ method: 'GET', path: '/' }] } }],
    ['a route with a misspelt field', { forwardAuth: { routes: [{ method: '*', path: '/', permision: 'a:b' }] } }],
    ['no instance', { replicaCount: 0 }],
    ['a role that does not exist', { grpcTls: { clientRoles: ['systems.internal:admin'] } }],
  ])('are refused with %s', (_what, overrides) => {
    expect(problemsOf(valuesWith(LEAST, overrides))).not.toEqual([]);
  });

  test('become an environment that the service accepts', async () => {
    const { latchkey } = await renderChart({ latchkey: valuesWith(LEAST) });
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgresql://latchkey@db.example.com/latchkey',
      SERVICE_TOKENS: `systems-api:validator:${'0'.repeat(64)}`,
    };
    const [{ env }] = only(latchkey.objects, 'Deployment')['spec'].template.spec.containers;
    const given = (env as Tree[]).map(({ name, value }) => [name, value ?? secrets[name as string]]);
    const config = readConfig({ NODE_ENV: 'production', ...Object.fromEntries(given) });
    // The ports that the chart's services lead to.
    expect(config).toMatchObject({ host: '0.0.0.0', httpPort: 3000, grpcPort: 50051, database: { timeoutMs: 120 } });
  });
});
