import type { ApiKey } from '../domain/keys/api-key.js';
import type { Page } from './page.js';

export interface ListedKey {
  readonly key: ApiKey;
  readonly lastUsedAt: Date | null;
}

/** A key as of `now`. */
export interface ReadKey extends ListedKey {
  readonly now: Date;
}

/** A page of keys as of `now`. */
export interface KeyList extends Page<ListedKey> {
  readonly now: Date;
  /** Of all the owner's keys, not only of this page's. */
  readonly activeKeys: number;
}
