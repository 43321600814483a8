import type { Granted, RateLimit } from '../decision.js';
import type { KeyRights } from '../domain/keys/key-rights.js';
import { writeExpiryOnce } from '../http/http-answer.js';
import type { ValidateKeyResponse__Output as Response } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import { judge } from '../judge.js';
import type { Lease } from './held-leases.js';
import type { UsesFrom } from './lease-uses.js';

/** What a lease grants. Its uses share one principal. */
export class LeasedGrant {
  private used = 0;
  /** The count that the last use was added to: most keys are used from few addresses. */
  lastCount: UsesFrom | undefined;

  constructor(
    readonly principal: Granted['principal'],
    private readonly rateLimit: RateLimit | undefined,
  ) {}

  /** The decision for one more use. */
  decide(): Granted {
    this.used += 1;
    const { principal, rateLimit } = this;
    return { allowed: true, principal, rateLimit: rateLimit && less(rateLimit, this.used) };
  }
}

/** What is left of the limit that the lease came with. */
function less({ limit, remaining, resetSeconds, windowSeconds }: RateLimit, used: number): RateLimit {
  return { limit, remaining: Math.max(0, remaining - used), resetSeconds, windowSeconds };
}

/**
 * Reads the lease that came with a grant.
 *
 * @param windowSeconds see `judge`
 * @returns undefined without a lease, or with an answer that this guard cannot read: the question itself then fails
 */
export function leaseIn(
  response: Response,
  windowSeconds: number | undefined,
): Lease<KeyRights, LeasedGrant> | undefined {
  const { lease } = response;
  const decision = lease && granted(response, windowSeconds);
  if (!decision) return undefined;
  const { principal, rateLimit } = decision;
  writeExpiryOnce(principal);
  const { id, lengthMs, uses, hasOwnPermissions: hasSubset, allowedNetworks } = lease;
  const rights: KeyRights = {
    access: principal.access,
    permissions: principal.permissions,
    hasSubset,
    allowedNetworks: allowedNetworks.length > 0 ? allowedNetworks : null,
  };
  return { id: Number(id), lengthMs, uses, rights, grant: new LeasedGrant(principal, rateLimit) };
}

function granted(response: Response, windowSeconds: number | undefined): Granted | undefined {
  try {
    const decision = judge(response, '', windowSeconds);
    return decision.allowed ? decision : undefined;
  } catch {
    return undefined;
  }
}
