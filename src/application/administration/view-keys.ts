import type { Account } from '#domain/accounts/account.js';
import { accountIdProblem, emailProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import {
  type Actor,
  asSeenBy,
  type AuditedEvent,
  OWNER_EVENT_TYPES,
  type RecordedEvent,
} from '#domain/audit/audit-event.js';
import { withoutSecrets } from '#domain/secrets.js';
import type { KeyHistory } from '#domain/usage/key-history.js';
import type { KeyListing, ShownKeys } from '../keys/shown-keys.js';
import type { OwnedKey, Page, PageRequest } from '../lists.js';
import type { EventSearch } from '../audit-ports.js';
import type { Ports } from '../ports.js';

/** The size of a page, and how many events of a key are shown. */
const SHOWN = 50;

export interface ViewedKey extends OwnedKey, KeyHistory {
  readonly events: readonly RecordedEvent[];
}

interface ViewParts extends Pick<Ports, 'keys' | 'accounts' | 'usage' | 'audit'> {
  readonly shownKeys: ShownKeys;
}

export interface KeySearch extends Omit<KeyListing, 'pageSize' | 'only'> {
  /** Active keys that are paused, or whose record says what they could do without. */
  readonly only?: 'paused' | 'narrower' | undefined;
}

/** How many pages of keys are read to find one that could be narrower. */
const MAX_PAGES = 20;

export async function newestEvents(
  audit: Ports['audit'],
  { key, owner }: Pick<OwnedKey, 'key' | 'owner'>,
  viewerId: string,
): Promise<RecordedEvent[]> {
  const { items } = await audit.list(owner.id, { types: OWNER_EVENT_TYPES, keyId: key.id }, { limit: SHOWN });
  return items.map((event) => asSeenBy(viewerId, event));
}

/** What administrators see of all owners. Who saw what is on the audit trail before they see it. */
export class ViewKeys {
  constructor(private readonly parts: ViewParts) {}

  /** The event belongs to the owner if the page is limited to one. Throws `invalid_fields` for keys of all owners by requests. */
  async page(listing: KeySearch, viewer: Actor): Promise<Page<OwnedKey>> {
    const { shownKeys, accounts, audit } = this.parts;
    const { only, ...filter } = listing;
    const isOfAll = filter.ownerId === undefined;
    if (filter.sort === 'requests' && isOfAll) requireFields({ sort: 'can be requests only with owner' });
    const page = await (only === 'narrower'
      ? this.narrowerOnes(filter)
      : shownKeys.ofAll({ ...filter, only, pageSize: SHOWN }));
    const { ownerId, createdBy, status, sort, prefix, lastUsedBefore, expiresFrom, expiresBefore, pageToken } = listing;
    const query = {
      owner: ownerId && withoutSecrets(ownerId),
      createdBy: createdBy && withoutSecrets(createdBy),
      status,
      sort,
      // Any other text may be something that does not belong on the audit trail.
      prefix: prefix === undefined || shownKeys.isShown(prefix) ? prefix : null,
      only,
      lastUsedBefore: lastUsedBefore?.toISOString(),
      expiresFrom: expiresFrom?.toISOString(),
      expiresBefore: expiresBefore?.toISOString(),
      cursor: pageToken,
    };
    const owner = ownerId === undefined ? undefined : await accounts.find(ownerId);
    await audit.record({ type: 'admin.viewed', details: { query }, ...viewer }, owner?.id ?? null);
    return page;
  }

  /** A page may have fewer keys than others and still have a next one, because the record of each key is looked at. */
  private async narrowerOnes(filter: Omit<KeySearch, 'only'>): Promise<Page<OwnedKey>> {
    let pageToken = filter.pageToken;
    let items: readonly OwnedKey[] = [];
    for (let pages = 0; pages < MAX_PAGES && items.length === 0; pages += 1) {
      const page = await this.parts.shownKeys.ofAll({ ...filter, only: 'recorded', pageSize: SHOWN, pageToken });
      items = page.items.filter(({ couldNarrow }) => couldNarrow !== null);
      if (page.nextCursor === null) return { items, nextCursor: null };
      pageToken = page.nextCursor;
    }
    return { items, nextCursor: pageToken ?? null };
  }

  /** Throws `not_found`. */
  async key(keyId: string, viewer: Actor): Promise<ViewedKey> {
    const { shownKeys, usage, audit } = this.parts;
    const found = await shownKeys.find(keyId);
    const history = await usage.history(keyId, found.now);
    const events = await newestEvents(audit, found, viewer.actorId!);
    await audit.record({ type: 'admin.viewed', keyId, ...viewer }, found.owner.id);
    return { ...found, ...history, events };
  }

  /** Newest first. The event belongs to the owner if the page is limited to one account or key. */
  async events(
    { cursor, ...search }: EventSearch & Pick<PageRequest, 'cursor'>,
    viewer: Actor,
  ): Promise<Page<AuditedEvent>> {
    const { keys, accounts, audit } = this.parts;
    const page = await audit.search(search, { limit: SHOWN, cursor });
    const { actorId, ownerId, keyId, types, since, until } = search;
    const query = {
      actor: actorId && withoutSecrets(actorId),
      account: ownerId && withoutSecrets(ownerId),
      key: keyId,
      type: types?.join(),
      from: since?.toISOString(),
      until: until?.toISOString(),
      cursor,
    };
    const key = keyId === undefined ? undefined : await keys.findListed(keyId);
    const account = ownerId === undefined ? undefined : await accounts.find(ownerId);
    const owner = key?.owner ?? account;
    const details = { query };
    await audit.record(
      { type: 'admin.viewed', ...(key && { keyId: key.key.id }), details, ...viewer },
      owner?.id ?? null,
    );
    return { ...page, items: page.items.map((event) => asSeenBy(viewer.actorId!, event)) };
  }

  async accountsOf(query: string, viewer: Actor): Promise<Account[]> {
    const { accounts, audit } = this.parts;
    const byId = accountIdProblem(query) ? undefined : await accounts.find(query);
    const byEmail = emailProblem(query) ? undefined : await accounts.findByEmail(query);
    const found = [byId, byEmail].filter((account) => account !== undefined);
    const different = [...new Map(found.map((account) => [account.id, account])).values()];
    const details = { accounts: different.map(({ id }) => id) };
    await audit.record({ type: 'admin.viewed', details, ...viewer }, null);
    return different;
  }
}
