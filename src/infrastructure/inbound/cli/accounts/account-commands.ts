import { type Command, Option } from '@commander-js/extra-typings';
import type { AccountListing } from '#application/accounts/find-accounts.js';
import { MAX_PAGE_SIZE } from '#application/lists.js';
import { ACCOUNT_STATUSES } from '#domain/accounts/account.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { Actor } from '#domain/audit/audit-event.js';
import {
  type Administration,
  type Databases,
  administrator,
  byOption,
  onAccount,
  onDatabase,
} from '../administration.js';
import { type Answer, answering, pageAnswer } from '../answering.js';
import { confirmEnd, dryRunOption, wouldEnd, yesOption } from '../ending-keys.js';
import { addImportCommand } from '../imports/import-command.js';
import { atVersion, describe, viewOf } from './account-answers.js';
import { parseMoment } from '../audit/audit-commands.js';
import { addEntitlementCommands, addPutCommand } from './change-commands.js';
import { ACCOUNT_IMPORT } from './import-accounts.js';

/** Of a change, and of one that ends keys. */
type ChangeOptions = {
  readonly atVersion?: bigint;
  readonly by?: string;
  readonly yes?: true | undefined;
  readonly dryRun?: true | undefined;
};

type Order = ChangeOptions & { readonly id: string; readonly admin: Actor };

type Change = (administration: Administration, order: Order) => Promise<Answer>;

const STATUS_CHANGES = [
  { name: 'suspend', description: "stop all of the owner's keys and end the owner's sessions" },
  { name: 'reactivate', description: 'make a suspended or deleted account active again; its keys work again' },
  {
    name: 'delete',
    description: 'stop all keys and sessions, with the status deleted; the data stays, and the email stays taken',
  },
] as const;

export function addAccountCommands(program: Command, databases: Databases): void {
  const account = program.command('account').description("manage the platform's accounts, as AccountService does");
  const onOne = (name: string, description: string) => account.command(name).argument('<id>').description(description);
  const changing = (name: string, description: string) =>
    onOne(name, description).addOption(atVersion()).addOption(byOption());
  const addChange = <Options extends ChangeOptions>(command: Command<[string], Options>, change: Change) =>
    answering(command, async (id, options: ChangeOptions) => {
      const order = { ...options, id, admin: administrator(options.by) };
      return onAccount(databases, id, (administration) => change(administration, order));
    });

  addPutCommand(account, databases);
  addImportCommand(account, databases, ACCOUNT_IMPORT);
  answering(onOne('show', 'show an account'), async (id) =>
    describe(await onAccount(databases, id, ({ findAccounts }) => findAccounts.byId(id))),
  );
  const list = account
    .command('list')
    .description(`list accounts by id, ${MAX_PAGE_SIZE} a page; purged accounts are not listed`)
    .addOption(new Option('--status <status>', 'only accounts with this status').choices(ACCOUNT_STATUSES))
    .option('--email <address>', 'only the account with this email; case does not matter')
    .option('--without-managers', 'only service accounts that no active person manages, except deleted ones')
    .option(
      '--signed-in-before <time>',
      'only accounts that the login keeps and whose last sign-in is older',
      parseMoment('--signed-in-before'),
    )
    .option('--page-token <token>', 'continue after the page that printed this token');
  answering(list, ({ withoutManagers: isWithoutManagers, ...filter }) =>
    listAccounts(databases, { ...filter, isWithoutManagers, pageSize: MAX_PAGE_SIZE }),
  );
  for (const { name, description } of STATUS_CHANGES) {
    const command = changing(name, description);
    const withDryRun = name === 'reactivate' ? command : command.addOption(dryRunOption());
    addChange(withDryRun, (administration, order) => changeStatus(administration, name, order));
  }
  const purging = changing(
    'purge',
    'revoke all keys for good and delete the personal data; the email can be used again',
  );
  addChange(purging.addOption(yesOption()).addOption(dryRunOption()), purge);
  addEntitlementCommands(account, databases);
}

async function changeStatus(
  { changeAccount, rehearsal, findAccounts }: Administration,
  name: (typeof STATUS_CHANGES)[number]['name'],
  { id, atVersion: version, admin, dryRun }: Order,
): Promise<Answer> {
  if (!dryRun) return describe(await changeAccount[name](id, version, admin));
  const { isActive } = await findAccounts.byId(id);
  await rehearsal.changeAccount[name](id, version, admin);
  // The keys of an account that is not active do not work anyway.
  return wouldEnd(isActive ? await activeKeys(rehearsal, id, admin) : [], 'stop');
}

async function purge(
  { changeAccount, rehearsal, shownKeys }: Administration,
  { id, atVersion: version, admin, yes, dryRun }: Order,
): Promise<Answer> {
  if (dryRun) {
    const count = await rehearsal.changeAccount.purge(id, version, admin);
    return wouldEnd(count > 0 ? await activeKeys(rehearsal, id, admin) : []);
  }
  await confirmEnd({ shownKeys }, yes, { owner: id, first: `This deletes the personal data of ${id}. ` });
  const revokedKeys = await changeAccount.purge(id, version, admin);
  return { document: { id, revokedKeys }, text: `purged ${id}, keys revoked: ${revokedKeys}` };
}

function activeKeys({ revokeKeys }: Administration['rehearsal'], id: string, actor: Actor): Promise<ApiKey[]> {
  return revokeKeys.all(id, { actor, reason: 'administrator' });
}

async function listAccounts(databases: Databases, listing: AccountListing): Promise<Answer> {
  const { items, nextCursor } = await onDatabase(databases, ({ findAccounts }) => findAccounts.list(listing));
  const rowOf = (account: ReturnType<typeof viewOf>) => {
    const { id, kind, status: itsStatus, email: itsEmail, displayName, managers } = account;
    return [id, kind, itsStatus, itsEmail, displayName, managers.join(' ')];
  };
  const head = ['ID', 'KIND', 'STATUS', 'EMAIL', 'NAME', 'MANAGERS'];
  return pageAnswer({ items: items.map(viewOf), nextCursor }, { head, rowOf, none: 'no accounts' });
}
