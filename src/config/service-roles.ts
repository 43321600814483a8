import { createHash } from 'node:crypto';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { readDemo } from './demo.js';
import type { EnvReader } from './env-reader.js';

/** Roles that call over gRPC. A client certificate can have one of these roles too. */
const GRPC_ROLES = ['validator', 'accounts', 'importer', 'issuer'] as const;
type GrpcRole = (typeof GRPC_ROLES)[number];

export const SERVICE_ROLES = [...GRPC_ROLES, 'reporter'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** What a service identity may do. */
interface Granted<Role> {
  readonly role: Role;
  /** Only of an issuer, and always there: the service account whose keys it makes, or `*` for all of them. */
  readonly issuesFor?: string | undefined;
}

/** A service identity with a token. A name may have several tokens and several roles. */
export interface ServiceToken extends Granted<ServiceRole> {
  readonly name: string;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
}

/** A service identity with a client certificate. */
export interface CertificateRole extends Granted<GrpcRole> {
  /** A subject alternative name, or the common name. */
  readonly name: string;
}

/** `name:role:sha256-hex`, and for an issuer `name:issuer/<account id>:sha256-hex` */
export function parseServiceTokens(entry: string): ServiceToken {
  const [, name, role, hex] = /^([^:]{1,64}):([^:]*):([^:]*)$/.exec(entry) ?? [];
  if (!name || hex === undefined) throw new Error('must read name:role:sha256-hex');
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error("must end in the 64 hex digits of its token's SHA-256");
  return { name, ...parseRole(role, SERVICE_ROLES), digest: Buffer.from(hex, 'hex') };
}

/** `<SAN or CN>:<role>`. The name may contain colons, as a SPIFFE id does. */
export function parseClientRoles(entry: string): CertificateRole {
  const at = entry.lastIndexOf(':');
  if (at < 1) throw new Error('must read <SAN or CN>:<role>');
  return { name: entry.slice(0, at), ...parseRole(entry.slice(at + 1), GRPC_ROLES) };
}

function parseRole<Role extends ServiceRole>(text = '', roles: readonly Role[]): Granted<Role> {
  const [name, ...rest] = text.split('/');
  const role = roles.find((known) => known === name);
  if (!role) throw new Error(`must name one of the roles ${roles.join(', ')}`);
  const [account] = rest;
  if (role !== 'issuer' && account === undefined) return { role };
  if (role !== 'issuer') throw new Error('must have no account: only the role issuer has one');
  if (rest.length === 1 && (account === '*' || !accountIdProblem(account!))) return { role, issuesFor: account! };
  throw new Error('must say for which service account the issuer makes keys: issuer/<account id>, or issuer/* for all');
}

/** An issuer makes keys without a confirmation, so the demo has none. */
const DEMO_ROLES = SERVICE_ROLES.filter((role) => role !== 'issuer');

export const DEMO_SERVICE_TOKENS: readonly ServiceToken[] = DEMO_ROLES.map((role) => ({
  name: `dev-${role}`,
  role,
  digest: sha256(demoToken(role)),
}));

/** Of tokens that are or were in our pages and examples, and of an empty variable. */
const PUBLISHED_DIGESTS = [...SERVICE_ROLES.map(demoToken), 'foo', 'the token', ''].map(sha256);

function demoToken(role: ServiceRole): string {
  return `dev-${role}-token`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function readServiceTokens(reader: EnvReader, name: string): readonly ServiceToken[] {
  const demo = readDemo(reader);
  const parse = (entry: string) => {
    const token = parseServiceTokens(entry);
    if (demo || !PUBLISHED_DIGESTS.some((digest) => digest.equals(token.digest))) return token;
    throw new Error('has the digest of a published example: make a token with `latchkey service-token create`');
  };
  const tokens = reader.list(name, parse) ?? (demo ? DEMO_SERVICE_TOKENS : []);
  const shared = tokens.filter(({ role, digest }) =>
    tokens.some((other) => other.role !== role && other.digest.equals(digest)),
  );
  if (shared.length > 0 && !demo) {
    const named = shared.map(nameAndRole).join(', ');
    const danger = 'a thief who takes it from a service that only validates keys could also create accounts';
    reader.warn(name, `gives one token several roles (${named}): ${danger}. Create one for each role`);
  }
  return tokens;
}

export function nameAndRole({ name, ...granted }: { name: string } & Granted<string>): string {
  return `${name}:${roleText(granted)}`;
}

/** As SERVICE_TOKENS names it. */
export function roleText({ role, issuesFor }: Granted<string>): string {
  return issuesFor === undefined ? role : `${role}/${issuesFor}`;
}
