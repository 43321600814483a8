/**
 * How many addresses of a key are kept in memory. Only the newest five of them are stored, but up to eight networks that
 * use the key within seconds are noticed.
 */
const MAX_HELD = 8;

/** Grants from one address since the last write. */
export interface NotedAddress {
  /** As the caller spelled it. The same address may come in several spellings. */
  readonly clientIp: string;
  readonly service: string | null;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Changed in place: a new object for each request would become garbage. */
type Held = { -readonly [Field in keyof NotedAddress]: NotedAddress[Field] } & { readonly beginning: number };
/** Shared by all keys to save memory. */
const NONE: readonly Held[] = [];

/** The addresses of one key. */
export class NotedAddresses {
  private held = NONE;

  note(clientIp: string, service: string | null, firstMs: number, lastMs: number): void {
    for (const known of this.held) {
      if (known.clientIp === clientIp) return extend(known, service, firstMs, lastMs);
    }
    const added = { clientIp, service, firstMs, lastMs, beginning: beginningOf(clientIp) };
    const isFull = this.held.length === MAX_HELD;
    this.held = [...(isFull ? this.mostUseful(added.beginning) : this.held), added];
  }

  /** What has to be written. */
  take(): NotedAddress[] {
    const taken = this.held.map(({ beginning: _beginning, ...address }) => address);
    this.held = NONE;
    return taken;
  }

  /**
   * All but one: the oldest of those whose network another address represents, so that a crowd hides no network. Without
   * any, the oldest of all.
   */
  private mostUseful(added: number): Held[] {
    const { held } = this;
    const isShared = (one: Held) =>
      one.beginning === added || held.some((other) => other !== one && other.beginning === one.beginning);
    const shared = held.filter(isShared);
    const least = (shared.length > 0 ? shared : held).reduce((one, other) => (other.lastMs < one.lastMs ? other : one));
    return held.filter((one) => one !== least);
  }
}

function extend(known: Held, service: string | null, firstMs: number, lastMs: number): void {
  if (lastMs >= known.lastMs) {
    known.lastMs = lastMs;
    known.service = service;
  }
  if (firstMs < known.firstMs) known.firstMs = firstMs;
}

/** A hash of the part before the last dot, before the fourth colon, or before the omitted zeros: probably the network. */
function beginningOf(ip: string): number {
  let end = ip.lastIndexOf('.');
  if (end < 0) end = ip.indexOf(':');
  for (let colons = 1; colons < 4 && ip[end] === ':' && ip[end + 1] !== ':'; colons += 1)
    end = ip.indexOf(':', end + 1);
  let hash = 0;
  for (let at = 0; at < end; at += 1) hash = (Math.imul(hash, 31) + ip.charCodeAt(at)) | 0;
  return hash;
}
