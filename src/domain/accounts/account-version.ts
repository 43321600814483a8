import { LatchkeyError } from '../errors.js';

/**
 * The version to store. Changes that overtake each other do no harm: an older version is refused, the same one may be sent
 * again.
 * @param sent by the platform; absent means "no opinion"
 */
export function newestVersion(stored: bigint, sent = stored): bigint {
  if (sent >= stored) return sent;
  throw new LatchkeyError(
    'stale_version',
    `version ${sent} is older than the stored version ${stored}: read the account and send its newest state`,
  );
}
