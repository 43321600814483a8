import { requireFields } from '../../domain/errors.js';
import { readDisplayed } from '../../domain/keys/foreign-key.js';
import { readShownPrefix } from '../../domain/keys/key-string.js';
import {
  DEFAULT_PAGE_SIZE,
  type KeyFilter,
  type LongPageRequest,
  type OwnedKey,
  type Page,
  pageSizeProblem,
  wrongPageToken,
} from '../lists.js';
import { type ShownKeys, startOf } from './shown-keys.js';

export interface KeyListing extends Omit<KeyFilter, 'prefix' | 'displayed'>, LongPageRequest {
  /** As a list shows it: `lk_4f9a01c2d3e4…`, or less of it. */
  readonly prefix?: string | undefined;
}

/** The keys of all owners, for those who run the service. */
export class ListAllKeys {
  constructor(
    private readonly shownKeys: ShownKeys,
    private readonly importPrefixes: readonly string[],
  ) {}

  /** A prefix that no list shows finds nothing. */
  async execute({ prefix: shown, pageSize, pageToken, ...filter }: KeyListing): Promise<Page<OwnedKey>> {
    requireFields({ pageSize: pageSizeProblem(pageSize) });
    const after = startOf(pageToken, wrongPageToken);
    const named = shown === undefined ? {} : this.shownBy(shown);
    if (!named) return { items: [], nextCursor: null };
    return this.shownKeys.page({ ...filter, ...named }, after, pageSize || DEFAULT_PAGE_SIZE);
  }

  /** Whether some key may be shown so. It is recorded only then: any other text may be a secret. */
  isShown(prefix: string): boolean {
    return this.shownBy(prefix) !== undefined;
  }

  private shownBy(text: string): Pick<KeyFilter, 'prefix' | 'displayed'> | undefined {
    const displayed = readDisplayed(text, this.importPrefixes);
    if (displayed !== undefined) return { displayed };
    const prefix = readShownPrefix(text);
    return prefix && { prefix };
  }
}
