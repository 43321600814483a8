// @ts-nocheck: its packages are installed only by the test.
// Runs next to better-auth's packages: `keys.mjs <database url> <prefix> <JSON>` makes its tables, an owner and keys,
// and prints the keys. The JSON is a list of what `createApiKey` takes.
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import pg from 'pg';

const [url, defaultPrefix, keys] = process.argv.slice(2);
const database = new pg.Pool({ connectionString: url });
const auth = betterAuth({
  baseURL: 'http://127.0.0.1',
  secret: 'only for this test, only for this test',
  database,
  emailAndPassword: { enabled: true },
  plugins: [apiKey({ defaultPrefix })],
  telemetry: { enabled: false },
});
const { runMigrations } = await getMigrations(auth.options);
await runMigrations();
const { user } = await auth.api.signUpEmail({
  body: { email: 'owner@better-auth.example', password: 'correct horse battery staple', name: 'Owner' },
});
const made = [];
for (const body of JSON.parse(keys)) {
  const { key, name } = await auth.api.createApiKey({ body: { ...body, userId: user.id } });
  const { valid } = await auth.api.verifyApiKey({ body: { key } });
  if (!valid) throw new Error('better-auth refuses a key that it made');
  made.push({ key, name, ownerId: user.id });
}
console.log(JSON.stringify(made));
await database.end();
