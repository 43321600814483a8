import { type LatchkeyError, requireFields } from '#domain/errors.js';
import { NO_TERMS } from '#domain/accounts/account-change.js';
import { type KeyPolicy, keyPolicy, type ServicePolicy } from '#domain/keys/key-policy.js';
import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import { isKeyId } from '#domain/keys/key-rules.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import {
  type KeyFilter,
  KEY_SORTS,
  NEVER,
  type KeyPosition,
  type KeySort,
  type OwnedKey,
  type Page,
  type PageRequest,
  pageOf,
  textIn,
  DEFAULT_PAGE_SIZE,
  type LongPageRequest,
  pageSizeProblem,
  sortedBy,
  wrongCursor,
  wrongPageToken,
} from '../lists.js';
import type { KeyCounts } from '../key-ports.js';
import type { Ports } from '../ports.js';
import type { RecordDueEnds } from './record-due-ends.js';
import { readDisplayed } from '#domain/keys/imported-key.js';
import { readShownPrefix } from '#domain/keys/key-string.js';
import { timeIn } from '#domain/time.js';

export interface ShownPage extends Page<OwnedKey> {
  readonly now: Date;
}

/** With the numbers of all keys of the owner, not only of those on this page. */
export interface PageOfOwner extends ShownPage, KeyCounts {
  readonly policy: KeyPolicy;
}

export interface KeyListing extends Omit<KeyFilter, 'prefix' | 'displayed'>, LongPageRequest {
  /** As a list shows it: `lk_4f9a01c2d3e4…`, or less of it. */
  readonly prefix?: string | undefined;
}

interface ShownParts extends Pick<Ports, 'keys' | 'accounts'> {
  readonly dueEnds: RecordDueEnds;
  readonly keyPolicy: ServicePolicy;
  readonly importPrefixes: readonly string[];
}

/** Reads keys for people and programs. A due end is recorded before it is shown. */
export class ShownKeys {
  constructor(private readonly parts: ShownParts) {}

  /** Throws `not_found`. @param ownerId undefined: any owner */
  async find(id: string, ownerId?: string): Promise<OwnedKey> {
    const found = await this.upToDate(
      () => this.parts.keys.findListed(id, ownerId),
      (key) => (key ? [key] : []),
    );
    if (!found) throw noSuchKey();
    return found;
  }

  async ofOwner(
    ownerId: string,
    status: ApiKeyStatus | undefined,
    { limit, cursor }: PageRequest,
    sort?: KeySort,
  ): Promise<PageOfOwner> {
    const { keys, accounts, dueEnds, keyPolicy: service } = this.parts;
    const page = await this.page({ ownerId, status, sort }, startOf(cursor, wrongCursor, sort), limit);
    await dueEnds.ofOwner(ownerId, page.now);
    const counts = await keys.count(ownerId, page.now);
    const owner = page.items[0]?.owner ?? (await accounts.find(ownerId));
    return { ...page, ...counts, policy: keyPolicy(service, owner ?? NO_TERMS) };
  }

  /** The keys of all owners, for those who run the service. A prefix that no list shows finds nothing. */
  async ofAll({ prefix: shown, pageSize, pageToken, ...filter }: KeyListing): Promise<Page<OwnedKey>> {
    requireFields({ pageSize: pageSizeProblem(pageSize) });
    const after = startOf(pageToken, wrongPageToken, filter.sort);
    const named = shown === undefined ? {} : this.shownBy(shown);
    if (!named) return { items: [], nextCursor: null };
    return this.page({ ...filter, ...named }, after, pageSize || DEFAULT_PAGE_SIZE);
  }

  /** Whether some key may be shown so. It is recorded only then: any other text may be a secret. */
  isShown(prefix: string): boolean {
    return this.shownBy(prefix) !== undefined;
  }

  private shownBy(text: string): Pick<KeyFilter, 'prefix' | 'displayed'> | undefined {
    const displayed = readDisplayed(text, this.parts.importPrefixes);
    if (displayed !== undefined) return { displayed };
    const prefix = readShownPrefix(text);
    return prefix && { prefix };
  }

  /** Newest first unless sorted, so that no page skips or repeats a key when others are made. */
  private async page(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<ShownPage> {
    const { now, items } = await this.upToDate(
      () => this.parts.keys.list(filter, after, limit + 1),
      (list) => list.items,
    );
    const { sort = 'created' } = filter;
    return { now, ...pageOf(items, limit, (item) => `${sort} ${item.key.id} ${sortedBy(sort, item)}`) };
  }

  /** Reads again until no end is due. */
  private async upToDate<T>(read: () => Promise<T>, keysIn: (found: T) => readonly OwnedKey[]): Promise<T> {
    const found = await read();
    const due = keysIn(found).filter(({ key, now }) => key.isEndDue(now));
    if (due.length === 0) return found;
    await Promise.all(due.map(({ key, now }) => this.parts.dueEnds.ofKey(key.id, now)));
    return this.upToDate(read, keysIn);
  }
}

/** Undefined for what is not a cursor of a list of keys. */
export function positionIn(cursor: string): KeyPosition | undefined {
  const [, named, id = '', value = ''] = /^([A-Za-z]+) (\S{36}) (.*)$/s.exec(textIn(cursor) ?? '') ?? [];
  const sort = KEY_SORTS.find((each) => each === named);
  return sort && isKeyId(id) && isSortedBy(sort, value) ? { sort, value, id } : undefined;
}

function isSortedBy(sort: KeySort, value: string): boolean {
  // PostgreSQL takes no NUL in a text.
  if (sort === 'name') return !value.includes('\0');
  if (sort === 'requests') return /^\d{1,18}$/.test(value);
  return (sort === 'lastUsed' && value === NEVER) || timeIn(value)?.toISOString() === value;
}

/** Throws what `wrong` returns for what is not a cursor of this list of keys. */
function startOf(
  cursor: string | undefined,
  wrong: () => LatchkeyError,
  sort: KeySort = 'created',
): KeyPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = positionIn(cursor);
  if (position?.sort !== sort) throw wrong();
  return position;
}
