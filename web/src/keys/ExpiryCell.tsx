import type { ReactNode } from 'react';
import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { shortDate } from '../time/format';
import { useNow } from '../time/useNow';
import { EndOfActive, StatusBadge } from '../key/StatusBadge';
import type { KeyRow } from './key-rows';
import classes from './KeyList.module.css';
import { leakPlace } from '../key/leak';
import { endOf } from '../key/status';
import { NewTabLink } from '../ui/links';

/** When the key ends, or how it ended. */
export function ExpiryCell({ row: { key, status, successor } }: { readonly row: KeyRow }) {
  const now = useNow();
  const { keys, language } = useTexts();
  if (status === 'active') return <EndOfActive apiKey={key} />;
  // A key whose successor came into use may end while it is on the screen.
  const reason = status === 'expired' ? '' : key.status === 'active' ? 'rotated' : (key.revokedReason ?? '');
  return (
    <StatusBadge status={status}>
      {wordsFor(reason, keys.revokedBy) ?? keys.status[status]}
      <span className={classes.second}>
        {reason === 'rotated' && successor
          ? keys.replacedBy(successor.prefix)
          : shortDate(key.revokedAt ?? endOf(key), now, language)}
        <LeakPlace apiKey={key} />
      </span>
    </StatusBadge>
  );
}

function wordsFor(reason: string, words: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(words, reason) ? words[reason] : undefined;
}

/** The address comes from a stranger: the link shows its host. */
function LeakPlace({ apiKey: { leak } }: { readonly apiKey: ApiKey }): ReactNode {
  const { host, href, source } = leak ? leakPlace(leak) : {};
  if (href === undefined) return host === undefined && source === undefined ? null : <> · {source ?? host}</>;
  return (
    <>
      {' · '}
      <NewTabLink href={href} title={href} className={classes.place}>
        {host}
      </NewTabLink>
    </>
  );
}
