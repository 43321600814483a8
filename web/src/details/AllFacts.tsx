import type { ReactNode } from 'react';
import type { ApiKey } from '../api/types';
import { statusAt } from '../keys/expiry';
import { StatusBadge } from '../keys/StatusBadge';
import { useTexts } from '../texts';
import { exactTime, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import classes from './details.module.css';

/** Here there is room for the exact times, which elsewhere are hints. */
export function AllFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const texts = useTexts();
  const { details, keys } = texts;
  const { column } = keys;
  const status = statusAt(apiKey, useNow());
  return (
    <dl className={classes.facts}>
      <Fact name={column.status}>
        <StatusBadge status={status} />
      </Fact>
      <Fact name={details.prefix}>
        <code>{apiKey.prefix}</code>
      </Fact>
      <Fact name={details.access}>{keys.access[apiKey.access]}</Fact>
      <Fact name={column.created}>
        <Moment iso={apiKey.createdAt} isPast />
      </Fact>
      <Fact name={column.lastUsed}>{apiKey.lastUsedAt ? <Moment iso={apiKey.lastUsedAt} isPast /> : texts.never}</Fact>
      {status !== 'revoked' && (
        <Fact name={status === 'expired' ? keys.status.expired : column.expires}>
          <Moment iso={apiKey.expiresAt} isPast={status === 'expired'} />
        </Fact>
      )}
      {apiKey.revokedAt && (
        <Fact name={keys.status.revoked}>
          <Moment iso={apiKey.revokedAt} isPast />
        </Fact>
      )}
      <Fact name={details.id}>
        <code>{apiKey.id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Moment({ iso, isPast = false }: { readonly iso: string; readonly isPast?: boolean }) {
  const texts = useTexts();
  const tick = useNow();
  const now = isPast ? Math.max(tick, Date.parse(iso)) : tick;
  return (
    <time dateTime={iso}>
      {relativeTime(iso, now, texts)}
      <span className={classes.exact}>{exactTime(iso, texts.language)}</span>
    </time>
  );
}
