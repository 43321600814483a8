import type { Log } from '../../telemetry/log.js';
import { RareLines } from './rare-lines.js';

/** What to check, for each thing that a caller without an identity may have sent. */
const CHECKS = {
  'no service token': 'does it set its token, such as LATCHKEY_SERVICE_TOKEN?',
  'no service token or valid client certificate':
    'does it set its token, or has its certificate ended, or another authority than those in GRPC_TLS_CLIENT_CA?',
  'an unknown service token': "SERVICE_TOKENS needs the token's SHA-256",
  'an unknown client certificate': 'GRPC_TLS_CLIENT_ROLES needs one of its names',
} as const;

export type Sent = keyof typeof CHECKS;

/** A call that was refused because no service identity fits. */
export interface RefusedCall {
  /** The peer's address; undefined if its connection is closed already. */
  readonly address: string | undefined;
  /** The gRPC method or the HTTP path. */
  readonly call: string;
  readonly identities: readonly { readonly name: string; readonly role: string }[];
  /** Without an identity. */
  readonly sent: Sent;
}

/**
 * Warns operators about services with a missing, an unknown or the wrong service token, at most once a minute for each
 * address and reason. Without these lines nobody would see why a guard answers 503.
 */
export class RefusedCallers {
  constructor(
    private readonly log: Log,
    private readonly lines = new RareLines(),
  ) {}

  warn(refused: RefusedCall): void {
    const line = lineOf(refused);
    if (this.lines.isDue(line)) this.log.warn(line);
  }
}

function lineOf({ address = 'an unknown address', call, identities, sent }: RefusedCall): string {
  const [first] = identities;
  if (!first) return `a caller at ${address} sent ${sent} to ${call}: ${CHECKS[sent]}`;
  const roles = [...new Set(identities.map(({ role }) => role))].join(' and ');
  return `the service identity "${first.name}" at ${address} has the role ${roles} and may not call ${call}`;
}
