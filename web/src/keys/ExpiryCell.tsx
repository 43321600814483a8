import type { ApiKey } from '../api/types';
import type { Rotation } from '../rotate/rotation';
import { UntilUsed } from '../rotate/UntilUsed';
import { useTexts } from '../texts';
import { shortTime } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import { endsSoon } from './expiry';
import { endOf, statusAt } from './status';
import { StatusBadge } from './StatusBadge';
import classes from './StatusBadge.module.css';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
}

/** When the key ends or has ended: by expiry, by a revocation, or because another has replaced it. */
export function ExpiryCell({ apiKey, rotation }: Props) {
  const now = useNow();
  const { keys, language } = useTexts();
  const status = statusAt(apiKey, now);
  if (status !== 'active') {
    const ended = status === 'revoked' ? (apiKey.revokedAt ?? apiKey.endsAt) : apiKey.expiresAt;
    return (
      <StatusBadge status={status}>
        <RelativeTime iso={ended ?? apiKey.expiresAt} text={keys[status]} isPast />
      </StatusBadge>
    );
  }
  const end = endOf(apiKey);
  const isEnding = end !== apiKey.expiresAt;
  if (rotation?.old.id === apiKey.id && !isEnding) return <UntilUsed rotation={rotation} />;
  if (!endsSoon(apiKey, now)) return <RelativeTime iso={end} text={keys.expires} />;
  return (
    <span>
      <span className={classes.soon}>
        <RelativeTime iso={end} text={isEnding ? keys.endsSoon : keys.expiresSoon} />
      </span>
      {isEnding && <span className={classes.exact}>{shortTime(end, language)}</span>}
    </span>
  );
}
