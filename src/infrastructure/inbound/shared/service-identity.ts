import { hash, timingSafeEqual } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { type CertificateRole, roleText, type ServiceRole, type ServiceToken } from '#config/service-roles.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { RareLines } from '#infrastructure/telemetry/rare-lines.js';
import { readBearer, readBearerOrBare } from './request-facts.js';

/** What to check, for each thing that a caller without an identity may have sent. */
const CHECKS = {
  'no service token': 'does it set its token, such as LATCHKEY_SERVICE_TOKEN?',
  'no service token or valid client certificate':
    'does it set its token, or has its certificate ended, or another authority than those in GRPC_TLS_CLIENT_CA?',
  'an unknown service token': "SERVICE_TOKENS needs the token's SHA-256",
  'an unknown client certificate': 'GRPC_TLS_CLIENT_ROLES needs one of its names',
} as const;

type Sent = keyof typeof CHECKS;

/** A service identity's name and token, as an OAuth client sends them. */
export interface ClientSecret {
  readonly name: string;
  readonly token: string;
}

export interface Caller {
  /** Every Authorization header or metadata entry, as the caller sent it. */
  readonly authorization: readonly string[];
  /** Checked instead of the bearer token. Any of them may be the right one. */
  readonly secrets?: readonly ClientSecret[] | undefined;
  /** Whether the header may contain the token alone, without a scheme. */
  readonly mayBeBare?: boolean;
  /** The client certificate of the connection, if any. Read only if the token is not enough. */
  certificate?(): PeerCertificate | undefined;
  /** The peer's address. Read only for a refused call. */
  address?(): string | undefined;
}

export interface CallingService {
  readonly name: string;
  /** Undefined: the call needs no role. */
  readonly role: ServiceRole | undefined;
  /** Of an issuer: the service accounts whose keys it makes, or `*`. */
  readonly issuesFor: readonly string[];
}

/**
 * Finds out which service is calling, by its bearer token or its client certificate. Warns operators about services with
 * a missing, an unknown or the wrong identity, at most once a minute for each address and reason. Without these lines
 * nobody would see why a guard answers 503.
 */
export class ServiceIdentity {
  private readonly lines = new RareLines();
  /** Tokens whose digest has matched before. There are no more of them than configured. */
  private readonly proven = new Map<string, readonly ServiceToken[]>();

  constructor(
    private readonly tokens: readonly ServiceToken[],
    private readonly certificates: readonly CertificateRole[],
    private readonly log: Log,
  ) {}

  /**
   * Throws `unauthenticated` for an unknown caller, `forbidden` for one with none of these roles.
   * @param roles the first that the caller has counts; undefined: any role
   * @param call the gRPC method or the HTTP path, for the log
   */
  require(roles: readonly ServiceRole[] | undefined, caller: Caller, call: string): CallingService {
    const byToken =
      caller.secrets?.flatMap((secret) => this.identitiesOfSecret(secret)) ?? this.identitiesOfBearer(caller);
    const serviceByToken = serviceIn(byToken, roles);
    if (serviceByToken) return serviceByToken;
    const byCertificate = this.identitiesOfCertificate(caller);
    const serviceByCertificate = serviceIn(byCertificate, roles);
    if (serviceByCertificate) return serviceByCertificate;
    const address = caller.address?.() ?? 'an unknown address';
    const identities = [...byToken, ...byCertificate];
    const [known] = identities;
    if (known) {
      const held = [...new Set(identities.map(roleText))].join(' and ');
      this.warn(`the service identity "${known.name}" at ${address} has the role ${held} and may not call ${call}`);
      throw new LatchkeyError('forbidden', `This service identity lacks the role ${roles?.join(' or ')}`);
    }
    const sent = this.sentBy(caller);
    this.warn(`a caller at ${address} sent ${sent} to ${call}: ${CHECKS[sent]}`);
    throw new LatchkeyError(
      'unauthenticated',
      `You sent ${sent}. Send authorization: Bearer <service token>, or over gRPC a client certificate`,
    );
  }

  private warn(line: string): void {
    if (this.lines.isDue(line)) this.log.warn(line);
  }

  private sentBy({ authorization, secrets, certificate }: Caller): Sent {
    if (authorization.length > 0 || secrets) return 'an unknown service token';
    if (this.certificates.length === 0) return 'no service token';
    return certificate?.() ? 'an unknown client certificate' : 'no service token or valid client certificate';
  }

  private identitiesOfBearer({ authorization, mayBeBare = false }: Caller): readonly ServiceToken[] {
    const token = mayBeBare ? readBearerOrBare(authorization) : readBearer(authorization);
    return token === undefined ? [] : this.identitiesOfToken(token);
  }

  private identitiesOfSecret({ name, token }: ClientSecret): readonly ServiceToken[] {
    return this.identitiesOfToken(token).filter((identity) => identity.name === name);
  }

  private identitiesOfToken(token: string): readonly ServiceToken[] {
    const seen = this.proven.get(token);
    if (seen) return seen;
    const digest = hash('sha256', token, 'buffer');
    const identities = this.tokens.filter((known) => timingSafeEqual(known.digest, digest));
    if (identities.length > 0) this.proven.set(token, identities);
    return identities;
  }

  private identitiesOfCertificate(caller: Caller): readonly CertificateRole[] {
    if (this.certificates.length === 0) return [];
    const certificate = caller.certificate?.();
    if (!certificate) return [];
    const names = certificateNames(certificate);
    return this.certificates.filter(({ name }) => names.includes(name));
  }
}

/** An issuer may have several entries with the same token, one for each account. */
function serviceIn(
  identities: readonly (ServiceToken | CertificateRole)[],
  roles: readonly ServiceRole[] | undefined,
): CallingService | undefined {
  const role = roles?.find((each) => identities.some((identity) => identity.role === each));
  const inRole = roles ? identities.filter((identity) => identity.role === role) : identities;
  const [first] = inRole;
  if (!first) return undefined;
  const entries = role === 'issuer' ? inRole.filter(({ name }) => name === first.name) : [];
  return { name: first.name, role, issuesFor: entries.map(({ issuesFor }) => issuesFor!) };
}

/** The common name counts where there are no alternative names (RFC 6125, section 6.4.4). */
function certificateNames({ subject, subjectaltname }: PeerCertificate): string[] {
  const names = (subjectaltname ?? '').split(', ').flatMap((entry) => /^(?:DNS|URI):([^"]+)$/.exec(entry)?.[1] ?? []);
  return names.length > 0 ? names : [subject?.CN].flat().filter((name) => name !== undefined);
}
