import { requireFields } from '../../../../domain/errors.js';
import type { ImportedLine } from '../../../../domain/keys/key-import.js';
import { DAY_MS } from '../../../../domain/time.js';
import { timeIn } from '../../shared/time-text.js';
import { IMPORT_COLUMNS, type ImportFields, type ImportFormat } from './import-file.js';

/** Throws `invalid_fields` for values of the wrong type or form. What a key may have is decided by the use case. */
export function importedLine(fields: ImportFields): ImportedLine {
  const { owner_id: owner, name, access, sha256, display_prefix: shown, expires_at: end, permissions } = fields;
  const networks = fields.allowed_networks ?? [];
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

function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be a text';
}

function listProblem(value: unknown): string | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : 'must be a list of texts';
}

/** A file with one key, to start from. */
export function exampleFile(format: ImportFormat, now: Date): string {
  const row = {
    owner_id: 'u-1042',
    name: 'CI of the web shop',
    access: 'read-and-write',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    display_prefix: 'acme_live_4f9a',
    expires_at: new Date(now.getTime() + 90 * DAY_MS).toISOString(),
    permissions: ['systems:read', 'systems:write'],
    allowed_networks: ['203.0.113.0/24'],
  };
  if (format === 'jsonl') return JSON.stringify(row);
  const values = IMPORT_COLUMNS.map((name) => [row[name]].flat().join(' '));
  return `${IMPORT_COLUMNS.join(',')}\n${values.join(',')}`;
}
