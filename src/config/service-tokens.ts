import { DEMO_SERVICE_TOKENS, isPublished } from './demo.js';
import type { EnvReader } from './env-reader.js';
import { parseServiceTokens, type ServiceToken } from './service-roles.js';

export function readServiceTokens(reader: EnvReader, demo: boolean): readonly ServiceToken[] {
  const parse = (entry: string) => {
    const token = parseServiceTokens(entry);
    if (demo || !isPublished(token.digest)) return token;
    throw new Error('has the digest of a published example: make a token with `latchkey service-token create`');
  };
  const tokens = reader.list('SERVICE_TOKENS', parse) ?? (demo ? DEMO_SERVICE_TOKENS : []);
  const shared = demo ? [] : tokens.filter((token) => hasAnotherRole(token, tokens));
  if (shared.length > 0) {
    const named = shared.map(({ name, role }) => `${name}:${role}`).join(', ');
    const danger = 'a thief who takes it from a service that only validates keys could also create accounts';
    reader.warn('SERVICE_TOKENS', `gives one token several roles (${named}): ${danger}. Create one for each role`);
  }
  return tokens;
}

function hasAnotherRole({ role, digest }: ServiceToken, tokens: readonly ServiceToken[]): boolean {
  return tokens.some((other) => other.role !== role && other.digest.equals(digest));
}
