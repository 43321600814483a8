import { requireFields } from '../../domain/errors.js';
import { readDisplayed } from '../../domain/keys/foreign-key.js';
import { isKeyId } from '../../domain/keys/key-id.js';
import { readShownPrefix } from '../../domain/keys/key-string.js';
import type { KeyDirectory, KeyFilter, KeyPosition, OwnedKey } from '../key-directory-ports.js';
import { pageTokenOf, textIn, wrongPageToken } from '../lists.js';
import type { RecordDueEnds } from './record-due-ends.js';

export const MAX_KEYS_PAGE = 1000;
const DEFAULT_PAGE = 100;

export interface KeyListing extends Omit<KeyFilter, 'prefix' | 'displayed'> {
  /** As a list shows it: `lk_4f9a01c2d3e4…`, or less of it. */
  readonly prefix?: string | undefined;
  /** At most MAX_KEYS_PAGE; 0 for the default. */
  readonly pageSize: number;
  /** From the answer with the previous page. */
  readonly pageToken?: string | undefined;
}

export interface KeyPage {
  readonly keys: readonly OwnedKey[];
  readonly nextPageToken: string | undefined;
}

/** The keys of all owners, for those who run the service. */
export class ListKeys {
  constructor(
    private readonly directory: KeyDirectory,
    private readonly dueEnds: RecordDueEnds,
    private readonly importPrefixes: readonly string[],
  ) {}

  /**
   * Newest first, so that no page skips or repeats a key when others are made. A prefix that no list shows finds
   * nothing. A due end is recorded before it is shown.
   */
  async execute({ prefix: shown, pageSize, pageToken, ...filter }: KeyListing): Promise<KeyPage> {
    requireFields({ pageSize: pageSize <= MAX_KEYS_PAGE ? undefined : `must be at most ${MAX_KEYS_PAGE}` });
    const after = pageToken === undefined ? undefined : positionIn(pageToken);
    if (pageToken !== undefined && !after) throw wrongPageToken();
    const named = shown === undefined ? {} : this.shownBy(shown);
    if (!named) return { keys: [], nextPageToken: undefined };
    const size = pageSize || DEFAULT_PAGE;
    const found = await this.upToDate(() => this.directory.list({ ...filter, ...named }, after, size + 1));
    const keys = found.slice(0, size);
    return { keys, nextPageToken: found.length > size ? tokenOf(keys.at(-1)!) : undefined };
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

  /** Reads again until no end is due. */
  private async upToDate(read: () => Promise<OwnedKey[]>): Promise<OwnedKey[]> {
    const found = await read();
    const due = found.filter(({ key, now }) => key.isEndDue(now));
    if (due.length === 0) return found;
    await Promise.all(due.map(({ key, now }) => this.dueEnds.ofKey(key.id, now)));
    return this.upToDate(read);
  }
}

function tokenOf({ key }: OwnedKey): string {
  const { createdAt, id } = key.snapshot();
  return pageTokenOf(`${createdAt.toISOString()} ${id}`);
}

/** Undefined for what is not a `nextPageToken`. */
export function positionIn(pageToken: string): KeyPosition | undefined {
  const [, time = '', id = ''] = /^(\S{24}) (\S{36})$/.exec(textIn(pageToken) ?? '') ?? [];
  const createdAt = new Date(time);
  const isToken = !Number.isNaN(createdAt.getTime()) && isKeyId(id);
  return isToken && createdAt.toISOString() === time ? { createdAt, id } : undefined;
}
