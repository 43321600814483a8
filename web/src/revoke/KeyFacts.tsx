import { Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { DAY_MS } from '../time/format';
import { useNow } from '../time/useNow';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './KeyFacts.module.css';

/** The facts by which the person recognizes the key. */
export function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const texts = useTexts();
  const { revoke, keys } = texts;
  const now = useNow();
  const { lastUsedAt } = apiKey;
  const isRecent = lastUsedAt !== null && now - Date.parse(lastUsedAt) < DAY_MS;
  return (
    <div className={classes.facts}>
      <dl>
        <dt>{revoke.key}</dt>
        <dd>
          <code>{apiKey.prefix}</code>
          <span>{keys.access[apiKey.access]}</span>
        </dd>
        <dt>{revoke.lastUsed}</dt>
        <dd>{lastUsedAt ? <RelativeTime iso={lastUsedAt} isPast /> : texts.never}</dd>
      </dl>
      {isRecent && (
        <Text size="sm" className={classes.warning}>
          {revoke.recent}
        </Text>
      )}
    </div>
  );
}
