import type { KeyReader, KeyReading } from '../../../src/application/ports.js';
import { KeyStanding } from '../../../src/domain/keys/key-standing.js';
import type { FakeStore } from '../fake-store.js';

/** What is left of an account says nothing of permissions. */
const PURGED = { status: 'deleted', permissions: [] } as const;

export class FakeKeyReader implements KeyReader {
  constructor(private readonly store: FakeStore) {}

  async read(publicPart: string): Promise<KeyReading> {
    const reading = { now: this.store.now(), sentAt: performance.now() };
    const state = [...this.store.keys.values()].map((key) => key.state).find((one) => one.publicPart === publicPart);
    if (!state) return reading;
    const { status, permissions } = this.store.accounts.get(state.ownerId) ?? PURGED;
    const { id, ownerId, access, digest, createdAt, expiresAt, revokedAt, expiredAt, endsAt } = state;
    const times = { createdAt, expiresAt, revokedAt, expiredAt, endsAt };
    const awaitsFirstUse = state.replaces !== null && state.firstUsedAt === null;
    const found = KeyStanding.restore({
      id,
      ownerId,
      access,
      digest,
      ...times,
      awaitsFirstUse,
      owner: { status, permissions },
    });
    return { ...reading, found };
  }
}
