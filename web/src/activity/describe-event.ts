// Imports nothing, because test/contracts/screen-events.spec.ts runs it without a bundler.

interface Event {
  readonly type: string;
  readonly keyId: string | null;
  readonly reason: string | null;
  readonly previousName: string | null;
}

type OfKey = (keyName: string) => string;

/** Tables by the type of an event or by its reason, and what to say of one that they lack. */
interface Words {
  readonly event: Readonly<Record<string, OfKey>>;
  readonly ofAccount: Readonly<Record<string, string>>;
  readonly renamedFrom: (previousName: string, keyName: string) => string;
  readonly revokedKey: Readonly<Record<string, OfKey>>;
  readonly rejectedKey: Readonly<Record<string, OfKey>>;
  readonly rejected: Readonly<Record<string, string>>;
  readonly other: string;
  readonly otherOfKey: OfKey;
  readonly otherRejected: string;
  readonly otherRejectedKey: OfKey;
}

/** The sentence for an event; for an event of a key, a function of the key's name. */
export function describeEvent({ type, keyId, reason, previousName }: Event, words: Words): string | OfKey {
  if (type === 'authentication.failed') {
    if (keyId !== null) return find(words.rejectedKey, reason) ?? words.otherRejectedKey;
    return find(words.rejected, reason) ?? words.otherRejected;
  }
  if (keyId === null) return find(words.ofAccount, type) ?? words.other;
  if (type === 'api_key.renamed' && previousName !== null) return (name) => words.renamedFrom(previousName, name);
  const plain = find(words.event, type) ?? words.otherOfKey;
  return type === 'api_key.revoked' ? (find(words.revokedKey, reason) ?? plain) : plain;
}

/** A newer service may know types and reasons that this screen does not. */
function find<T>(table: Readonly<Record<string, T>>, name: string | null): T | undefined {
  return name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
}
