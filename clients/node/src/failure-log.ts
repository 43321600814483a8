import type { FailureEvent } from './hooks.js';

const QUIET_MS = 60_000;

/** What to check first, by the code of the failure. */
const CHECKS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: "Latchkey does not know serviceToken: SERVICE_TOKENS there needs the token's SHA-256.",
  PERMISSION_DENIED: 'serviceToken needs the role validator in SERVICE_TOKENS of Latchkey.',
  UNAVAILABLE: "is target Latchkey's gRPC address, does Latchkey run, and does it reach PostgreSQL? See its log.",
  DEADLINE_EXCEEDED: 'Latchkey did not answer within deadlineMs: see its log, its load and the network.',
  UNIMPLEMENTED: "target is not Latchkey's gRPC port (GRPC_PORT).",
  UNREADABLE_ANSWER: 'target answers, but not as Latchkey does: is the guard older than the service?',
};

/** The same for a guard that has a certificate and no token. */
const CERTIFICATE_CHECKS: typeof CHECKS = {
  ...CHECKS,
  UNAUTHENTICATED:
    'Latchkey does not accept tls.cert: has it ended, is its authority in GRPC_TLS_CLIENT_CA there, and one of its names in GRPC_TLS_CLIENT_ROLES?',
  PERMISSION_DENIED: 'tls.cert needs the role validator in GRPC_TLS_CLIENT_ROLES of Latchkey.',
};

/**
 * Writes why requests are answered with 503: the first failure, and then at most one line a minute with the number of
 * failures since the last line.
 * @param hasToken whether the guard has a service token
 * @param write where the lines go
 */
export function failureLog(
  hasToken: boolean,
  write: (line: string) => void = (line) => console.error(line),
  nowMs: () => number = () => performance.now(),
): (failure: Pick<FailureEvent, 'code' | 'message'>) => void {
  const checks = hasToken ? CHECKS : CERTIFICATE_CHECKS;
  let writtenAt = -Infinity;
  let unwritten = 0;
  return ({ code, message }) => {
    unwritten += 1;
    const now = nowMs();
    if (now - writtenAt < QUIET_MS) return;
    const count = unwritten === 1 ? 'a request was' : `${unwritten} requests were`;
    const check = Object.hasOwn(checks, code) ? ` ${checks[code]}` : '';
    writtenAt = now;
    unwritten = 0;
    write(`[latchkey guard] ${count} answered with 503: ${code} (${message}).${check}`);
  };
}
