import { createHash } from 'node:crypto';
import type { PutAccountCommand } from '../application/accounts/put-account.js';
import type { EnvReader } from './env-reader.js';
import { SERVICE_ROLES, type ServiceRole, type ServiceToken } from './service-roles.js';

/** Public values for trying the service. They exist only with DEMO=on, which NODE_ENV=production refuses. */
export const DEMO_OWNER: PutAccountCommand & { password: string } = {
  id: 'demo',
  email: 'demo@latchkey.dev',
  displayName: 'Demo Owner',
  permissions: ['systems:read', 'systems:write'],
  password: 'correct horse battery staple',
};

/** Without a password if sign-in with a password is turned off. */
export function demoOwner(passwordSignIn: boolean): PutAccountCommand {
  const { password, ...profile } = DEMO_OWNER;
  return passwordSignIn ? { ...profile, password } : profile;
}

export const DEMO_SERVICE_TOKENS: readonly ServiceToken[] = SERVICE_ROLES.map((role) => ({
  name: `dev-${role}`,
  role,
  digest: sha256(demoToken(role)),
}));

/** Tokens that are or were in our pages and examples, and the digest of an empty variable. */
const PUBLISHED_TOKENS = [...SERVICE_ROLES.map(demoToken), 'foo', 'the token', ''];

export function isPublished(digest: Buffer): boolean {
  return PUBLISHED_TOKENS.some((token) => sha256(token).equals(digest));
}

function demoToken(role: ServiceRole): string {
  return `dev-${role}-token`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function readDemo(reader: EnvReader): boolean {
  // Compose files of releases up to 0.2.0 have 1 and 0.
  const words = { '1': true, on: true, '0': false, off: false } as const;
  const demo = words[(reader.text('DEMO') ?? 'off') as keyof typeof words];
  if (demo === undefined) reader.wrong('DEMO', 'must be on or off');
  if (demo && reader.text('NODE_ENV') === 'production') {
    reader.wrong('DEMO', 'must not be on with NODE_ENV=production: demo passwords and tokens are public');
  }
  return demo === true;
}
