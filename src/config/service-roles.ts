/** Roles that call over gRPC. A client certificate can have one of these roles too. */
const GRPC_ROLES = ['validator', 'accounts', 'importer'] as const;
type GrpcRole = (typeof GRPC_ROLES)[number];

export const SERVICE_ROLES = [...GRPC_ROLES, 'reporter'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** A service identity with a token. A name may have several tokens and several roles. */
export interface ServiceToken {
  readonly name: string;
  readonly role: ServiceRole;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
}

/** A service identity with a client certificate. */
export interface CertificateRole {
  /** A subject alternative name, or the common name. */
  readonly name: string;
  readonly role: GrpcRole;
}

/** `name:role:sha256-hex` */
export function parseServiceTokens(entry: string): ServiceToken {
  const [, name, role, hex] = /^([^:]{1,64}):([^:]*):([^:]*)$/.exec(entry) ?? [];
  if (!name || hex === undefined) throw new Error('must read name:role:sha256-hex');
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error("must end in the 64 hex digits of its token's SHA-256");
  return { name, role: parseRole(role, SERVICE_ROLES), digest: Buffer.from(hex, 'hex') };
}

/** `<SAN or CN>:<role>`. The name may contain colons, as a SPIFFE id does. */
export function parseClientRoles(entry: string): CertificateRole {
  const at = entry.lastIndexOf(':');
  if (at < 1) throw new Error('must read <SAN or CN>:<role>');
  return { name: entry.slice(0, at), role: parseRole(entry.slice(at + 1), GRPC_ROLES) };
}

function parseRole<Role extends ServiceRole>(text: string | undefined, roles: readonly Role[]): Role {
  const role = roles.find((known) => known === text);
  if (!role) throw new Error(`must name one of the roles ${roles.join(', ')}`);
  return role;
}
