import { type Command, Option } from 'commander';
import type { Administrator } from '../../../../domain/audit/audit-event.js';
import type { ListedKeys } from '../../../../application/keys/list-api-keys.js';
import type { LeakedKey } from '../../../../application/keys/revoke-leaked-keys.js';
import { accountIdProblem } from '../../../../domain/accounts/account-profile.js';
import { requireFields } from '../../../../domain/errors.js';
import { isKeyId } from '../../../../domain/keys/key-id.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '../../../../domain/keys/key-status.js';
import { keyView } from '../../shared/key-view.js';
import type { Databases } from '../administration.js';
import { answering, type Answer, table } from '../answering.js';
import { confirm, confirmEnd, describeKey, maskOf, yesOption } from '../ending-keys.js';
import { administrator, byOption, onDatabase } from '../environment.js';
import { NOT_DONE, UsageError } from '../failures.js';
import { readKey } from '../secret-input.js';

const PAGE = 50;

interface ListOptions {
  readonly owner: string;
  readonly status?: ApiKeyStatus;
}

interface RevokeOptions {
  readonly owner?: string;
  readonly key?: string;
  readonly all?: boolean;
  readonly leaked?: boolean;
  readonly by?: string;
  readonly yes?: boolean;
}

export function addKeysCommands(program: Command, databases: Databases): void {
  const keys = program.command('keys').description('list and revoke the API keys of owners');
  const list = keys
    .command('list')
    .description("list an owner's keys, newest first")
    .requiredOption('--owner <id>', 'account id')
    .addOption(new Option('--status <status>', 'only keys with this status').choices(API_KEY_STATUSES));
  answering(list, (options: ListOptions) => listKeys(databases, options));
  const revoke = keys
    .command('revoke')
    .description('revoke for good: one key, all keys of an owner, or leaked keys')
    .option('--owner <id>', 'account id; with --key or --all')
    .option('--key <keyId>', 'the id of the key to revoke')
    .option('--all', 'revoke every active key of the owner')
    .option('--leaked', 'revoke every key whose key string is in the text on stdin, such as a log line')
    .addOption(byOption())
    .addOption(yesOption());
  answering(revoke, (options: RevokeOptions) => revokeKeys(databases, options));
}

async function listKeys(databases: Databases, { owner, status }: ListOptions): Promise<Answer> {
  requireFields({ owner: accountIdProblem(owner) });
  const pages = await onDatabase(databases, async ({ getAccount, listKeys: list }) => {
    await getAccount.execute(owner);
    const all: ListedKeys[] = [];
    let cursor: string | undefined;
    do {
      const page = await list.execute(owner, status, { limit: PAGE, cursor });
      all.push(page);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return all;
  });
  const items = pages.flatMap(({ items: listed, now }) => listed.map((each) => keyView(each, now)));
  const { activeKeys, policy } = pages[0]!;
  const { maxActiveKeys } = policy;
  const rows = items.map(({ id, prefix, status: keyStatus, access, endsAt, expiresAt, lastUsedAt, name }) => {
    const [end, lastUse] = [(endsAt ?? expiresAt).slice(0, 10), lastUsedAt?.slice(0, 10) ?? 'never'];
    return [id, prefix, keyStatus, access, end, lastUse, name];
  });
  const count = `${activeKeys} of ${maxActiveKeys} active`;
  const head = ['ID', 'KEY', 'STATUS', 'ACCESS', 'ENDS', 'LAST USED', 'NAME'];
  const text = items.length > 0 ? `${table(head, rows)}\n${count}` : `no keys, ${count}`;
  return { document: { ownerId: owner, activeKeys, maxActiveKeys, items }, text };
}

async function revokeKeys(databases: Databases, options: RevokeOptions): Promise<Answer> {
  const { owner, key, all, leaked, by, yes } = options;
  const admin = administrator(by);
  if (leaked && owner === undefined && key === undefined && !all) return revokeAllLeaked(databases, admin, yes);
  if (leaked || owner === undefined || (key === undefined) === !all) {
    throw new UsageError('give --owner with --key or --all, or --leaked alone');
  }
  const keyId = key?.toLowerCase();
  requireFields({
    owner: accountIdProblem(owner),
    key: keyId === undefined || isKeyId(keyId) ? undefined : "must be the key's id, as `latchkey keys list` shows it",
  });
  const revoked = await onDatabase(databases, async ({ revoke, listKeys: list }) => {
    await confirmEnd({ yes, owner, keyId }, { listKeys: list });
    const reason = { actor: admin, reason: 'administrator' } as const;
    return keyId === undefined ? revoke.all(owner, reason) : [await revoke.one(owner, keyId, reason)];
  });
  const lines = revoked.map((each) => `revoked ${describeKey(each)}`);
  return {
    document: { ownerId: owner, revoked: revoked.map((each) => ({ id: each.id, prefix: maskOf(each) })) },
    text: lines.length > 0 ? lines.join('\n') : `nothing to revoke: ${owner} has no active key`,
  };
}

async function revokeAllLeaked(databases: Databases, admin: Administrator, yes?: boolean): Promise<Answer> {
  await confirm(yes, 'This revokes every key whose key string is in the text on stdin.');
  const text = await readKey();
  const leaked = await onDatabase(databases, ({ revokeLeaked }) => revokeLeaked.execute(text, admin));
  if (leaked.length === 0) {
    const reason = 'no key of this service is in the text on stdin: nothing was revoked';
    return { document: { keys: [] }, text: reason, exitCode: NOT_DONE };
  }
  const keys = leaked.map(({ key, was }) => {
    const { ownerId, id } = key;
    return { ownerId, id, prefix: maskOf(key), was, isRevokedNow: was === 'active' };
  });
  return { document: { keys }, text: leaked.map(describeLeaked).join('\n') };
}

function describeLeaked({ key, was }: LeakedKey): string {
  const whose = `${describeKey(key)} of ${key.ownerId}`;
  return was === 'active' ? `revoked ${whose}` : `already ${was}: ${whose}`;
}
