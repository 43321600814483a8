import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { KeyListing, KeysOfOwner } from '#application/keys/shown-keys.js';
import { MAX_PAGE_SIZE } from '#application/lists.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '#domain/keys/key-status.js';
import { DAY_MS } from '#domain/time.js';
import { keyView, ownedKeyView } from '../../shared/key-view.js';
import { type Administration, type Databases, onDatabase } from '../administration.js';
import { type Answer, type OptionsOf, pageAnswer, print, printLine, table } from '../answering.js';

const PAGE = 50;
const MAX_DAYS = 36_500;

export function addListCommand(keys: Command, databases: Databases): void {
  listCommand(keys).action((options) => listKeys(databases, options));
}

function listCommand(keys: Command) {
  return keys
    .command('list')
    .description(`list the keys of all owners, newest first, ${MAX_PAGE_SIZE} a page, or all keys of one owner`)
    .option('--owner <id>', 'only keys of this account')
    .addOption(new Option('--status <status>', 'only keys with this status').choices(API_KEY_STATUSES))
    .option('--prefix <text>', 'only keys that begin so: as lists show it, or less of it')
    .addOption(days('unused-for', 'only keys that were not used for so long, or were made before that and never used'))
    .addOption(days('expires-within', 'only active keys that expire within this time'))
    .option('--created-by <id>', 'only keys that this account made, for itself or for a service account')
    .option('--page-token <token>', 'continue after the page that printed this token')
    .option('--all', 'every page')
    .option('--json', 'print one JSON document; with --all a line of JSON for each key');
}

type ListOptions = OptionsOf<typeof listCommand>;
type Filters = Omit<ListOptions, 'pageToken' | 'all' | 'json'>;

async function listKeys(databases: Databases, { pageToken, all, json, ...filters }: ListOptions): Promise<void> {
  const { owner, status, createdBy, ...others } = filters;
  requireFields({
    owner: owner === undefined ? undefined : accountIdProblem(owner),
    createdBy: createdBy === undefined ? undefined : accountIdProblem(createdBy),
  });
  const isOfOwner = createdBy === undefined && pageToken === undefined && !all && Object.keys(others).length === 0;
  if (owner !== undefined && isOfOwner) return print(await listOfOwner(databases, owner, status), json);
  const listing = { ...listingOf(filters), pageToken, pageSize: MAX_PAGE_SIZE };
  if (all) return printAll(databases, listing, json);
  print(await listPage(databases, listing), json);
}

function listingOf({ owner: ownerId, status, prefix, createdBy, ...options }: Filters): Omit<KeyListing, 'pageSize'> {
  const { unusedFor, expiresWithin } = options;
  const inDays = (count: number) => new Date(Date.now() + count * DAY_MS);
  return {
    ownerId,
    // A key that has ended does not expire any more.
    status: status ?? (expiresWithin === undefined ? undefined : 'active'),
    prefix,
    lastUsedBefore: unusedFor === undefined ? undefined : inDays(-unusedFor),
    expiresBefore: expiresWithin === undefined ? undefined : inDays(expiresWithin),
    createdBy,
  };
}

async function listPage(databases: Databases, listing: KeyListing): Promise<Answer> {
  const { items, nextCursor } = await onDatabase(databases, ({ shownKeys }) => shownKeys.ofAll(listing), true);
  return pageAnswer({ items: items.map(ownedKeyView), nextCursor }, { head: HEAD, rowOf, none: NONE });
}

/** A table for each page, because a column is as wide as its widest cell. */
function printAll(databases: Databases, listing: KeyListing, json: boolean | undefined): Promise<void> {
  const work = async ({ shownKeys }: Pick<Administration, 'shownKeys'>) => {
    let { pageToken } = listing;
    do {
      const { items, nextCursor } = await shownKeys.ofAll({ ...listing, pageToken });
      const keys = items.map(ownedKeyView);
      if (json) for (const key of keys) await printLine(JSON.stringify(key));
      else await printLine(keys.length > 0 ? table(HEAD, keys.map(rowOf)) : NONE);
      pageToken = nextCursor ?? undefined;
    } while (pageToken !== undefined);
  };
  return onDatabase(databases, work, true);
}

const HEAD = ['ID', 'OWNER', 'KEY', 'STATUS', 'ACCESS', 'ENDS', 'LAST USED', 'CREATED BY', 'NAME'];
const NONE = 'no keys';

function rowOf(key: ReturnType<typeof ownedKeyView>): string[] {
  const { id, owner, prefix, status, access, createdBy, name, ...times } = key;
  return [id, owner.id, prefix, status, access, ...daysOf(times), createdBy.id, name];
}

type Times = Pick<ReturnType<typeof keyView>, 'endsAt' | 'expiresAt' | 'lastUsedAt'>;

function daysOf({ endsAt, expiresAt, lastUsedAt }: Times): [string, string] {
  return [(endsAt ?? expiresAt).slice(0, 10), lastUsedAt?.slice(0, 10) ?? 'never'];
}

/** All keys of one owner, with what the owner's limits allow. */
async function listOfOwner(databases: Databases, owner: string, status: ApiKeyStatus | undefined): Promise<Answer> {
  const pages = await onDatabase(databases, async ({ findAccounts, shownKeys }) => {
    await findAccounts.byId(owner);
    const all: KeysOfOwner[] = [];
    let cursor: string | undefined;
    do {
      const page = await shownKeys.ofOwner(owner, status, { limit: PAGE, cursor });
      all.push(page);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return all;
  });
  const items = pages.flatMap((page) => page.items.map(keyView));
  const { activeKeys, policy } = pages[0]!;
  const { maxActiveKeys } = policy;
  const rows = items.map(({ id, prefix, status: keyStatus, access, name, ...times }) => {
    return [id, prefix, keyStatus, access, ...daysOf(times), name];
  });
  const count = `${activeKeys} of ${maxActiveKeys} active`;
  const head = ['ID', 'KEY', 'STATUS', 'ACCESS', 'ENDS', 'LAST USED', 'NAME'];
  const text = items.length > 0 ? `${table(head, rows)}\n${count}` : `no keys, ${count}`;
  return { document: { ownerId: owner, activeKeys, maxActiveKeys, items }, text };
}

function days<Name extends string>(name: Name, description: string) {
  return new Option(`--${name} <days>`, description).argParser((text) => {
    const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (count >= 1 && count <= MAX_DAYS) return count;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
  });
}
