/**
 * A second judge of keys with permissions and networks of their own, written from the rules alone and for reading, not
 * for speed. It imports nothing, so that a mistake in `src` can't be repeated here.
 */

export interface NaiveKey {
  readonly access: 'read-only' | 'read-and-write';
  readonly permissions: readonly string[] | undefined;
  readonly allowedNetworks: readonly string[] | undefined;
}

interface NaiveOwner {
  readonly status: 'active' | 'suspended' | 'deleted';
  readonly permissions: readonly string[];
}

export interface NaiveRequest {
  readonly operation: string;
  readonly permission: string;
  readonly clientAddress: string | null;
}

/** What becomes of the owner's wish for such a key. What is wrong with the key alone is answered first. */
export function making({ access, permissions, allowedNetworks }: NaiveKey, owned: readonly string[]) {
  if (permissions && (permissions.length === 0 || permissions.length > 100)) return 'invalid';
  if (permissions && !permissions.every(isOfNewGrammar)) return 'invalid';
  if (allowedNetworks && !(allowedNetworks.length > 0 && allowedNetworks.every(isNetwork))) return 'invalid';
  const isUsable = (permission: string) => actionsOf(access).includes(partsOf(permission).action);
  const isGivable = (permission: string) => owned.some((own) => isUsable(own) && covers(own, permission));
  return !permissions || permissions.every(isGivable) ? 'ok' : 'not givable';
}

/** What a rotation makes of a key whose holder wishes for less. */
export function narrowerThan(
  old: NaiveKey,
  wish: { readonly [Part in keyof NaiveKey]?: NaiveKey[Part] | undefined },
  owned: readonly string[],
): NaiveKey | 'refused' {
  const access = wish.access ?? old.access;
  if (old.access === 'read-only' && access !== 'read-only') return 'refused';
  if (making({ access, permissions: wish.permissions, allowedNetworks: undefined }, owned) !== 'ok') return 'refused';
  const isWithin = (permission: string) => !old.permissions || old.permissions.some((each) => covers(each, permission));
  if (wish.permissions && !wish.permissions.every(isWithin)) return 'refused';
  const isUsable = (permission: string) => actionsOf(access).includes(partsOf(permission).action);
  const left = access === old.access ? old.permissions : old.permissions?.filter(isUsable);
  if (!wish.permissions && left?.length === 0) return 'refused';
  const networks = wish.allowedNetworks ?? [];
  if (!networks.every(isNetwork)) return 'refused';
  if (old.allowedNetworks && wish.allowedNetworks?.length === 0) return 'refused';
  if (!networks.every((each) => !old.allowedNetworks || old.allowedNetworks.some((wide) => isPartOf(wide, each))))
    return 'refused';
  const allowedNetworks = networks.length > 0 ? networks : old.allowedNetworks;
  return { access, permissions: wish.permissions ?? left, allowedNetworks };
}

function isPartOf(wide: string, narrow: string): boolean {
  const [outer, inner] = [rangeOf(wide)!, rangeOf(narrow)!];
  return outer.bits === inner.bits && inner.size <= outer.size && inner.value / outer.size === outer.value / outer.size;
}

/** The reason of a refusal, or everything that the key may do, sorted. */
export function verdictOn(key: NaiveKey & { isRevoked: boolean }, owner: NaiveOwner, request: NaiveRequest) {
  if (key.isRevoked) return 'revoked';
  if (owner.status !== 'active') return `owner-${owner.status}`;
  if (key.allowedNetworks && !key.allowedNetworks.some((network) => isIn(network, request.clientAddress)))
    return 'address-not-allowed';
  if (!['read', 'write'].includes(request.operation)) return 'operation-not-allowed';
  if (!actionsOf(key.access).includes(request.operation)) return 'read-only-key';
  const effective = effectiveOf(key, owner);
  if (request.permission !== '') {
    if (!effective.some((each) => covers(each, request.permission))) return 'missing-permission';
  } else if (key.permissions && !effective.some((each) => partsOf(each).action === request.operation)) {
    return 'missing-permission';
  }
  return effective;
}

function effectiveOf({ access, permissions }: NaiveKey, owner: NaiveOwner): string[] {
  const owned = owner.permissions.filter((each) => actionsOf(access).includes(partsOf(each).action));
  if (!permissions) return [...new Set(owned)].sort();
  const narrower = new Set<string>();
  for (const own of owned) {
    for (const chosen of permissions) {
      if (covers(own, chosen)) narrower.add(chosen);
      else if (covers(chosen, own)) narrower.add(own);
    }
  }
  return [...narrower].sort();
}

function actionsOf(access: NaiveKey['access']): string[] {
  return access === 'read-only' ? ['read'] : ['read', 'write'];
}

function partsOf(permission: string) {
  const [resource, action] = permission.split(':') as [string, string];
  return { segments: resource.split('/'), action };
}

/** One to a hundred characters, a colon, one to 28 characters. No segment of the resource consists of dots alone. */
function isOfNewGrammar(permission: string): boolean {
  const isWritten = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}:[a-z][a-z0-9._-]{0,27}$/.test(permission);
  return isWritten && partsOf(permission).segments.every((segment) => segment.replaceAll('.', '') !== '');
}

function covers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  if (!isOfNewGrammar(wide) || !isOfNewGrammar(narrow)) return false;
  const [above, below] = [partsOf(wide), partsOf(narrow)];
  const isBelow = above.segments.every((segment, index) => below.segments[index] === segment);
  return above.action === below.action && below.segments.length > above.segments.length && isBelow;
}

/** An address as a number, with the number of its bits. A mapped address is an IPv4 address. */
function numberOf(address: string): { bits: 32 | 128; value: bigint } | undefined {
  const octets = address.split('.');
  if (octets.length === 4 && octets.every((octet) => String(Number(octet)) === octet && Number(octet) < 256)) {
    return { bits: 32, value: octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n) };
  }
  if (!URL.canParse(`http://[${address}]/`)) return undefined;
  const [left, right] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const missing = new Array<string>(8 - groups(left).length - groups(right).length).fill('0');
  const all = [...groups(left), ...missing, ...groups(right)];
  const value = BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`);
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value };
}

/** The number of fixed bits, which may be counted in the 128 bits of a mapped address. */
function rangeOf(network: string) {
  const [address, length] = network.split('/') as [string, string?];
  const start = numberOf(address);
  if (!start || (length !== undefined && !Number.isInteger(Number(length)))) return undefined;
  const written = length === undefined ? start.bits : Number(length);
  const fixed = length !== undefined && start.bits === 32 && address.includes(':') ? written - 96 : written;
  return fixed < 0 || fixed > start.bits ? undefined : { ...start, fixed, size: 2n ** BigInt(start.bits - fixed) };
}

/** All networks but those of every address. */
function isNetwork(network: string): boolean {
  return (rangeOf(network)?.fixed ?? 0) > 0;
}

function isIn(network: string, address: string | null): boolean {
  const range = rangeOf(network)!;
  const at = address === null ? undefined : numberOf(address);
  return at?.bits === range.bits && at.value / range.size === range.value / range.size;
}
