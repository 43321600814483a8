import { LatchkeyError } from '../errors.js';

/**
 * The version to store. Changes may arrive out of order: an older version is refused, the same version may be sent
 * again.
 * @param sent by the platform; undefined keeps the stored version
 */
export function newestVersion(stored: bigint, sent = stored): bigint {
  if (sent >= stored) return sent;
  throw new LatchkeyError(
    'stale_version',
    `version ${sent} is older than the stored version ${stored}: read the account and send its newest state`,
  );
}
