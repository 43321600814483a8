import type { PutAccountCommand } from '#application/accounts/put-account.js';
import type { EnvReader } from './env-reader.js';

/** Public values for trying the service. They exist only with DEMO=on, which NODE_ENV=production refuses. */
export const DEMO_OWNER: PutAccountCommand & { password: string } = {
  id: 'demo',
  email: 'demo@latchkey.dev',
  displayName: 'Demo Owner',
  permissions: ['systems:read', 'systems:write'],
  password: 'correct horse battery staple',
};

const DEMO_SERVICE_ACCOUNT: PutAccountCommand = {
  id: 'demo-ci',
  email: '',
  displayName: 'Demo CI',
  kind: 'service',
  managers: [DEMO_OWNER.id],
  permissions: ['systems:read'],
};

interface DemoSettings {
  readonly passwordSignIn: boolean;
  readonly adminPermission: string | undefined;
}

/**
 * The accounts that a demo starts with. Its owner has no password if sign-in with a password is turned off. Where there
 * are administrators, the owner is one, and manages a service account.
 */
export function demoAccounts({ passwordSignIn, adminPermission }: DemoSettings): readonly PutAccountCommand[] {
  const { password, ...profile } = DEMO_OWNER;
  const owner = passwordSignIn ? { ...profile, password } : profile;
  if (adminPermission === undefined) return [owner];
  return [{ ...owner, permissions: [...owner.permissions, adminPermission] }, DEMO_SERVICE_ACCOUNT];
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
