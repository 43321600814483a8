import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { KeyListing } from '#application/keys/shown-keys.js';
import { MAX_PAGE_SIZE } from '#application/lists.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import { API_KEY_STATUSES } from '#domain/keys/key-status.js';
import { DAY_MS } from '#domain/time.js';
import { ownedKeyView } from '../../shared/key-view.js';
import { type Administration, type Databases, onDatabase } from '../administration.js';
import { type OptionsOf, pageAnswer, print, printLine, table } from '../answering.js';

const MAX_DAYS = 36_500;

export function addListCommand(keys: Command, databases: Databases): void {
  listCommand(keys).action((options) => onDatabase(databases, (administration) => list(administration, options), true));
}

function listCommand(keys: Command) {
  return keys
    .command('list')
    .description(`list the keys of all owners, newest first, ${MAX_PAGE_SIZE} a page`)
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

async function list({ shownKeys, findAccounts }: Administration, options: ListOptions): Promise<void> {
  const { owner, createdBy, all, json } = options;
  requireFields({
    owner: owner === undefined ? undefined : accountIdProblem(owner),
    createdBy: createdBy === undefined ? undefined : accountIdProblem(createdBy),
  });
  if (owner !== undefined) await findAccounts.byId(owner);
  const listing = listingOf(options);
  let { pageToken } = listing;
  do {
    const page = await shownKeys.ofAll({ ...listing, pageToken });
    const items = page.items.map(ownedKeyView);
    if (!all) return print(pageAnswer({ ...page, items }, { head: HEAD, rowOf, none: NONE }), json);
    if (json) for (const key of items) await printLine(JSON.stringify(key));
    // A table for each page, because a column is as wide as its widest cell.
    else await printLine(items.length > 0 ? table(HEAD, items.map(rowOf)) : NONE);
    pageToken = page.nextCursor ?? undefined;
  } while (pageToken !== undefined);
}

function listingOf({ owner: ownerId, status, unusedFor, expiresWithin, ...options }: ListOptions): KeyListing {
  const { prefix, createdBy, pageToken } = options;
  const inDays = (count: number) => new Date(Date.now() + count * DAY_MS);
  return {
    ownerId,
    // A key that has ended does not expire any more.
    status: status ?? (expiresWithin === undefined ? undefined : 'active'),
    prefix,
    lastUsedBefore: unusedFor === undefined ? undefined : inDays(-unusedFor),
    expiresBefore: expiresWithin === undefined ? undefined : inDays(expiresWithin),
    createdBy,
    pageToken,
    pageSize: MAX_PAGE_SIZE,
  };
}

const HEAD = ['ID', 'OWNER', 'KEY', 'STATUS', 'ACCESS', 'ENDS', 'LAST USED', 'CREATED BY', 'NAME'];
const NONE = 'no keys';

function rowOf({ endsAt, expiresAt, lastUsedAt, ...key }: ReturnType<typeof ownedKeyView>): string[] {
  const { id, owner, prefix, status, access, createdBy, name } = key;
  const times = [(endsAt ?? expiresAt).slice(0, 10), lastUsedAt?.slice(0, 10) ?? 'never'];
  return [id, owner.id, prefix, status, access, ...times, createdBy.id, name];
}

function days<Name extends string>(name: Name, description: string) {
  return new Option(`--${name} <days>`, description).argParser((text) => {
    const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (count >= 1 && count <= MAX_DAYS) return count;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
  });
}
