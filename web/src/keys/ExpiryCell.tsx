import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import { expiresSoon, statusAt } from './expiry';
import { StatusBadge } from './StatusBadge';
import classes from './StatusBadge.module.css';

/** When the key ends or has ended, by expiry or by a revoke. */
export function ExpiryCell({ apiKey }: { readonly apiKey: ApiKey }) {
  const now = useNow();
  const { expires, expired, revoked, expiresSoon: soon } = useTexts().keys;
  const status = statusAt(apiKey, now);
  const ended = status === 'revoked' ? apiKey.revokedAt : status === 'expired' ? apiKey.expiresAt : null;
  if (ended !== null)
    return (
      <StatusBadge status={status}>
        <RelativeTime iso={ended} text={status === 'revoked' ? revoked : expired} isPast />
      </StatusBadge>
    );
  if (!expiresSoon(apiKey, now)) return <RelativeTime iso={apiKey.expiresAt} text={expires} />;
  return (
    <span className={classes.soon}>
      <RelativeTime iso={apiKey.expiresAt} text={soon} />
    </span>
  );
}
