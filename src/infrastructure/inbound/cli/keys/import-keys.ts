import { requireFields } from '#domain/errors.js';
import type { ImportedLine } from '#domain/keys/imported-key.js';
import { DAY_MS, timeIn } from '#domain/time.js';
import { requiredSetting } from '../administration.js';
import type { Importable } from '../imports/import-command.js';

export const KEY_COLUMNS = [
  'owner_id',
  'name',
  'access',
  'sha256',
  'display_prefix',
  'expires_at',
  'permissions',
  'allowed_networks',
] as const;

/** Throws `invalid_fields` for values of the wrong type or form. What a key may have is decided by the use case. */
export function importedLine(fields: Readonly<Record<string, unknown>>): ImportedLine {
  const { owner_id: owner, name, access, sha256, display_prefix: shown, expires_at: end, permissions } = fields;
  const networks = fields['allowed_networks'] ?? [];
  const isOwner = typeof owner === 'string' || Number.isSafeInteger(owner);
  const isDigest = typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256);
  const expiresAt = typeof end === 'string' ? timeIn(end) : undefined;
  requireFields({
    owner_id: isOwner ? undefined : 'must be a text or a whole number',
    name: textProblem(name),
    access: textProblem(access),
    sha256: isDigest ? undefined : 'must be 64 hexadecimal digits',
    display_prefix: textProblem(shown),
    expires_at: expiresAt ? undefined : 'must be a time such as 2027-03-29T00:30:00Z',
    permissions: listProblem(permissions),
    allowed_networks: listProblem(networks),
  });
  return {
    ownerId: String(owner),
    name: name as string,
    access: access as string,
    sha256: Buffer.from(sha256 as string, 'hex'),
    displayPrefix: shown as string,
    expiresAt,
    permissions: permissions as string[],
    allowedNetworks: networks as string[],
  };
}

export function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be a text';
}

export function listProblem(value: unknown): string | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : 'must be a list of texts';
}

const EXAMPLE = {
  owner_id: 'u-1042',
  name: 'CI of the web shop',
  access: 'read-and-write',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  display_prefix: 'acme_live_4f9a',
  permissions: ['systems:read', 'systems:write'],
  allowed_networks: ['203.0.113.0/24'],
};

export const KEY_IMPORT: Importable<ImportedLine> = {
  description: 'import keys that another system made, by the SHA-256 of each; needs IMPORT_PREFIXES',
  columns: { required: KEY_COLUMNS, lists: ['permissions', 'allowed_networks'] },
  example: (now) => ({ ...EXAMPLE, expires_at: new Date(now.getTime() + 90 * DAY_MS).toISOString() }),
  lineIn: importedLine,
  outcomes: { imported: 'imported', alreadyThere: 'already there' },
  namesOwners: true,
  // Without them every line would be refused.
  requireSettings: () => void requiredSetting('IMPORT_PREFIXES'),
  importer:
    ({ importKeys }) =>
    async (lines, admin) =>
      (await importKeys.execute(lines, admin)).map((outcome, index) => {
        if ('refused' in outcome) return outcome;
        const { ownerId } = lines[index]!;
        const aboveLimit = outcome.aboveLimit && { ownerId, ...outcome.aboveLimit };
        return { became: outcome.isNew ? 'imported' : 'alreadyThere', aboveLimit };
      }),
};
