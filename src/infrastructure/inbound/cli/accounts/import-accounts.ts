import { importAccounts, type PutAccountCommand } from '#application/accounts/put-account.js';
import { ACCOUNT_KINDS, type AccountKind, emailKey } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import type { Importable } from '../imports/import-command.js';
import { listProblem, textProblem } from '../keys/import-keys.js';
import { versionIn } from './account-answers.js';

export const ACCOUNT_IMPORT: Importable<PutAccountCommand> = {
  description: 'open or change many accounts, each as `account put` does',
  columns: {
    required: ['id', 'email', 'display_name', 'permissions'],
    optional: ['kind', 'managers', 'password_hash', 'version'],
    lists: ['permissions', 'managers'],
  },
  example: () => ({
    id: 'u-1042',
    email: 'ada@example.com',
    display_name: 'Ada Lovelace',
    permissions: ['systems:read', 'systems:write'],
  }),
  lineIn: accountIn,
  outcomes: { opened: 'opened', changed: 'changed', unchanged: 'unchanged' },
  uniqueIn: ({ id, email }) => ({ id, email: emailKey(email) }),
  importer:
    ({ putAccount }) =>
    (lines, admin) =>
      importAccounts(putAccount, lines, admin),
};

/** Throws `invalid_fields` for values of the wrong type or form. What an account may be is decided by the use case. */
function accountIn(fields: Readonly<Record<string, unknown>>): PutAccountCommand {
  const { id, display_name: displayName, permissions } = fields;
  const given = (name: string) => (fields[name] === '' || fields[name] === null ? undefined : fields[name]);
  const [kind, version, passwordHash] = [given('kind'), given('version'), given('password_hash')];
  const email = given('email') ?? (kind === 'service' ? '' : undefined);
  const managers = fields['managers'] ?? [];
  const number = version === undefined ? undefined : versionIn(String(version));
  requireFields({
    id: typeof id === 'string' || Number.isSafeInteger(id) ? undefined : 'must be a text or a whole number',
    email: textProblem(email),
    display_name: textProblem(displayName),
    permissions: listProblem(permissions),
    kind:
      kind === undefined || ACCOUNT_KINDS.some((each) => each === kind)
        ? undefined
        : `must be ${ACCOUNT_KINDS.join(' or ')}`,
    managers: listProblem(managers),
    password_hash: passwordHash === undefined ? undefined : textProblem(passwordHash),
    version: version === undefined || number !== undefined ? undefined : 'must be a whole number of 64 bits',
  });
  return {
    id: String(id),
    email: email as string,
    displayName: displayName as string,
    permissions: permissions as string[],
    kind: kind as AccountKind | undefined,
    managers: (managers as string[]).length > 0 ? (managers as string[]) : undefined,
    passwordHash: passwordHash as string | undefined,
    version: number,
  };
}
