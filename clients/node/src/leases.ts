import { hash } from 'node:crypto';
import type { Decision, Granted } from './decision.js';
import type { Operation as DomainOperation } from '../../../src/domain/keys/verdict.js';
import { bareAddress } from '../../../src/domain/ip-address.js';
import type { Credential } from '../../../src/domain/keys/credential.js';
import { coveringPermission } from '../../../src/domain/accounts/permission.js';
import { type KeyRights, denialBy } from '../../../src/domain/keys/key-rights.js';
import type { Lease__Output as Lease } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Lease.js';
import type { KeyUses } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/KeyUses.js';
import { LeaseUses, type Use, type UsesOfKey } from './lease-uses.js';
import type { Operation } from './operation.js';
import { textOf } from './question.js';

/** A lease is used for this share of its length. A change waits for 110 %; each clock may be wrong by 8.5 %. */
const usableShare = 0.9;
/** A lease is renewed once this share of its time, or of its uses, has gone. */
const renewedAt = 0.8;
/** Latchkey gives no longer lease, in milliseconds. */
const longestMs = 2000;
/** So long, in milliseconds, no request waits for a call that may bring a lease, after such a call brought none. */
const quietMs = 1000;
const mostKeys = 100_000;
/**
 * So many requests of a key that had to be sent without a wish are under way at once. With more, the next lease would come
 * late, and a crowd that a service can't answer call by call would never get enough leases.
 */
const mostPlain = 8;

/** Two clocks, in milliseconds. On Linux a monotonic clock stands still while the machine is suspended. */
export interface Clocks {
  wall(): number;
  monotonic(): number;
}

const ofNode: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** The wish for a lease that a call carries. */
export interface Wish {
  readonly key: Key;
  /** Both clocks before the first attempt to call. */
  readonly wallMs: number;
  readonly monotonicMs: number;
  /** How many requests the lease should admit. */
  readonly uses: number;
  /** Of a renewal: the request that is the call's own if it is granted, and a use of the lease before if not. */
  readonly renewing?: { readonly use: Use; readonly permission: string } | undefined;
}

/** A grant from a lease, and the wish of a call that should now renew the lease. */
export interface FromLease {
  readonly granted: Granted;
  readonly renewal: Wish | undefined;
}

/** It keeps no text of a credential: only what is to be reported does. */
interface Held {
  readonly lengthMs: number;
  /** With no more time left than this it is renewed. */
  readonly renewedMs: number;
  readonly uses: number;
  readonly rights: KeyRights;
  readonly grant: Granted;
  used: number;
  /** It ends by each clock. The last use ends it, too. */
  readonly wallEndMs: number;
  endMs: number;
}

/** What is known of one credential. */
export interface Key {
  held: Held | undefined;
  uses: UsesOfKey | undefined;
  /** The call with a wish that is under way. Others wait for it while no lease can be used. */
  call: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  /** By the monotonic clock. */
  quietUntilMs: number;
  /** Requests under way without a wish, and those that wait for a place among them. */
  plain: number;
  readonly queue: (() => void)[];
  /** Whether the last call with a wish brought a lease, or failed: if not, nothing is gained by waiting for a place. */
  isCrowded: boolean;
}

const operations: Readonly<Record<Operation, DomainOperation>> = {
  READ: 'read',
  WRITE: 'write',
  DESTROY: 'destroy',
  MANAGE_API_KEYS: 'manage-api-keys',
  MANAGE_ACCOUNT: 'manage-account',
  IMPERSONATE: 'impersonate',
};

/**
 * The leases of a guard. From a lease a guard only grants: whatever a lease does not allow is sent to Latchkey. Nothing
 * here waits or calls; time passes only by the clocks.
 */
export class Leases {
  /** How many requests were granted from leases. */
  spent = 0;
  private readonly uses = new LeaseUses<Key>();
  /** By the digests of their credentials. */
  private readonly keys = new Map<string, Key>();

  constructor(private readonly clocks = ofNode) {}

  /** How many leases are held. One that has ended counts until `tidy`. */
  get held(): number {
    let count = 0;
    for (const { held } of this.keys.values()) if (held) count += 1;
    return count;
  }

  /** Undefined: there is no credential, or there are too many. */
  keyOf(credential: Credential): Key | undefined {
    const used = this.uses.keyOf(credential);
    if (used || textOf(credential) === '') return used;
    const digest = digestOf(credential);
    const known = this.keys.get(digest);
    if (known || this.keys.size >= mostKeys) return known;
    const none = { held: undefined, uses: undefined, call: undefined };
    const key = { ...none, quietUntilMs: -Infinity, plain: 0, queue: [], isCrowded: false };
    this.keys.set(digest, key);
    return key;
  }

  /** The grant of a lease that allows the request. Undefined: only Latchkey can decide. */
  grantFor(key: Key, use: Use): FromLease | undefined {
    const { held } = key;
    if (!held) return undefined;
    const nowMs = this.clocks.monotonic();
    const leftMs = this.leftMs(held, nowMs);
    if (leftMs <= 0 || !allows(held.rights, use)) return undefined;
    held.used += 1;
    this.spent += 1;
    if (held.used >= held.uses) held.endMs = nowMs;
    // While others wait for a place, all uses are taken at once, and the next lease should have twice as many.
    const share = key.queue.length > 0 ? 1 : renewedAt;
    const isDue = held.used >= share * held.uses || leftMs <= held.renewedMs;
    // The lease grants the request, so one of its permissions covers it.
    const permission = use.permission && coveringPermission(use.permission, held.rights.permissions)!;
    const isRenewed = isDue && !key.call && nowMs >= key.quietUntilMs;
    const renewal = isRenewed ? this.call(key, { use, permission }) : undefined;
    if (!renewal) this.uses.add(key, use, permission, nowMs);
    const { principal, rateLimit } = held.grant;
    const left = rateLimit && { ...rateLimit, remaining: Math.max(0, rateLimit.remaining - held.used) };
    return { granted: { allowed: true, principal, rateLimit: left }, renewal };
  }

  /**
   * What a request does that no lease grants: waits for a call under way that may bring a lease, which then may grant it;
   * or is sent with this wish; or, if undefined, is sent without one. Report the end of a call with a wish to `ended`.
   */
  next(key: Key, { operation }: Use): Promise<void> | Wish | undefined {
    if (operation !== 'READ' && operation !== 'WRITE') return undefined;
    const nowMs = this.clocks.monotonic();
    // A lease that can be used, and does not allow this request, is nothing to wait for.
    if (key.held && this.leftMs(key.held, nowMs) > 0) return undefined;
    if (key.call) return key.call.ended;
    return nowMs < key.quietUntilMs ? undefined : this.call(key);
  }

  /** @param lease that came with the decision. None: nobody waits for this credential for a second */
  ended(wish: Wish, decision: Decision, lease: Lease | null | undefined): void {
    const { key, wallMs, monotonicMs, renewing } = wish;
    if (renewing && !decision.allowed) this.uses.add(key, renewing.use, renewing.permission, monotonicMs);
    const isLeased = decision.allowed && lease && lease.uses > 0 && lease.lengthMs <= longestMs;
    key.isCrowded = Boolean(isLeased) || (!decision.allowed && decision.status === 503);
    if (isLeased) {
      const { lengthMs, uses } = lease;
      const usableMs = usableShare * lengthMs;
      key.held = {
        lengthMs,
        renewedMs: usableMs - renewedAt * usableMs,
        uses,
        rights: rightsOf(decision, lease),
        grant: decision,
        used: 0,
        wallEndMs: wallMs + usableMs,
        endMs: monotonicMs + usableMs,
      };
      for (const wake of key.queue.splice(0, uses)) wake();
    } else key.quietUntilMs = this.clocks.monotonic() + quietMs;
    key.call?.end();
    key.call = undefined;
  }

  /**
   * For a request that has waited for a call, and that its lease does not grant. True: it is sent without a wish, and `left`
   * is called after that. A promise: it looks for a lease again then.
   */
  place(key: Key): true | Promise<void> {
    if (key.plain >= mostPlain && key.isCrowded) return new Promise((resolve) => void key.queue.push(resolve));
    key.plain += 1;
    return true;
  }

  left(key: Key): void {
    key.plain -= 1;
    for (const wake of key.queue.splice(0, key.isCrowded ? 1 : Infinity)) wake();
  }

  /** Latchkey denied the credential itself. */
  drop(credential: Credential): void {
    const key = this.uses.keyOf(credential) ?? this.keys.get(digestOf(credential));
    if (key) key.held = undefined;
  }

  /** Frees memory, and takes out the uses since the last time, in portions that each fit into one report. */
  tidy(): KeyUses[][] {
    const nowMs = this.clocks.monotonic();
    for (const [digest, key] of this.keys) {
      if (key.held && !isRecent(key.held, nowMs)) key.held = undefined;
      const isIdle = !key.held && !key.call && key.plain === 0 && key.quietUntilMs <= nowMs;
      if (isIdle) this.keys.delete(digest);
    }
    return this.uses.take(nowMs);
  }

  /** Begins a call. The wall clock is read first: if the machine sleeps between the two, the call seems older than it is. */
  private call(key: Key, renewing?: Wish['renewing']): Wish {
    let end!: () => void;
    key.call = { ended: new Promise((resolve) => (end = resolve)), end };
    const { held } = key;
    const wallMs = this.clocks.wall();
    const monotonicMs = this.clocks.monotonic();
    const uses = held && isRecent(held, monotonicMs) ? 2 * held.used + 1 : 1;
    return { key, wallMs, monotonicMs, uses: Math.min(uses, 0xffff_ffff), renewing };
  }

  /** By the clock that shows less. The wall clock is read last, so that it counts a sleep between the two. */
  private leftMs({ endMs, wallEndMs }: Held, nowMs: number): number {
    return Math.min(endMs - nowMs, wallEndMs - this.clocks.wall());
  }
}

/** Whether the lease ended less than its own length ago, or did not end. */
function isRecent({ endMs, lengthMs }: Held, nowMs: number): boolean {
  return nowMs < endMs + lengthMs;
}

function allows(rights: KeyRights, { operation, permission, clientIp }: Use): boolean {
  // Only networks are compared with the address.
  const clientAddress = rights.allowedNetworks && bareAddress(clientIp);
  return denialBy(rights, { operation: operations[operation], permission, clientAddress }) === undefined;
}

function rightsOf({ principal }: Granted, { hasOwnPermissions, allowedNetworks }: Lease): KeyRights {
  const { access, permissions } = principal;
  const networks = allowedNetworks.length > 0 ? allowedNetworks : null;
  return { access, permissions, hasSubset: hasOwnPermissions, allowedNetworks: networks };
}

/** Of the credential's form and exact text, by which Latchkey reads it. */
function digestOf(credential: Credential): string {
  return hash('sha256', `${'apiKey' in credential ? 'api_key' : 'authorization'} ${textOf(credential)}`, 'binary');
}
