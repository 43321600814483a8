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

/** Without a password if sign-in with a password is turned off. */
export function demoOwner(passwordSignIn: boolean): PutAccountCommand {
  const { password, ...profile } = DEMO_OWNER;
  return passwordSignIn ? { ...profile, password } : profile;
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
