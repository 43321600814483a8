import type { ApiKey } from '../domain/keys/api-key.js';

export interface ListedKey {
  readonly key: ApiKey;
  readonly lastUsedAt: Date | null;
}

export interface ReadKey extends ListedKey {
  readonly now: Date;
}

export interface KeyList extends Page<ListedKey> {
  readonly now: Date;
  /** The number of all active keys of the owner, not only of those on this page. */
  readonly activeKeys: number;
}

export interface PageRequest {
  /** 1 to 50. */
  readonly limit: number;
  /** From the answer with the previous page. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}
