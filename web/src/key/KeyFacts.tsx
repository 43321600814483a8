import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AddressUse, ApiKey } from '../api/types';
import { Limits } from './KeyLimits';
import { useTexts } from '../texts';
import { DAY_MS, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import list from '../ui/list.module.css';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './KeyFacts.module.css';

const ADDRESSES = 3;
const LIMITS = 4;

interface Props {
  readonly apiKey: ApiKey;
  /** The last addresses. Unset where they are not shown. */
  readonly uses?: readonly AddressUse[] | 'loading';
  /** Whether a recent use is a reason not to go on. Default: yes. */
  readonly isWarning?: boolean;
  /** Below the facts. */
  readonly children?: ReactNode;
}

/** The facts by which the person recognizes the key, and what it did lately. */
export function KeyFacts({ apiKey, uses, isWarning = true, children }: Props) {
  const texts = useTexts();
  const { revoke, keys } = texts;
  const now = useNow();
  const { lastUsedAt, recent, permissions, allowedNetworks } = apiKey;
  const isRecent = lastUsedAt !== null && now - Date.parse(lastUsedAt) < DAY_MS;
  const [granted, refused] = [recent.granted, recent.refused].map((days) => days.reduce((sum, day) => sum + day, 0));
  const counted = [granted, refused].map((count) => wholeNumber(count ?? 0, texts.language));
  return (
    <div className={classes.facts}>
      <dl className={list.facts}>
        <dt>{revoke.key}</dt>
        <dd>
          <code>{apiKey.prefix}</code>
          <span>{keys.access[apiKey.access]}</span>
        </dd>
        <Limits permissions={permissions} allowedNetworks={allowedNetworks} most={LIMITS} />
        <dt>{keys.column.lastUsed}</dt>
        <dd>{lastUsedAt ? <RelativeTime iso={lastUsedAt} isPast /> : texts.never}</dd>
        <dt>{keys.column.recent}</dt>
        <dd>{granted || refused ? revoke.counts(counted[0]!, counted[1]!) : revoke.noRequests}</dd>
        {uses && uses.length > 0 && (
          <>
            <dt>{revoke.addresses}</dt>
            <dd>
              {uses === 'loading'
                ? texts.loading
                : uses.slice(0, ADDRESSES).map(({ clientIp, service, lastAt }) => (
                    <span key={clientIp} className={classes.address}>
                      {service === null ? clientIp : revoke.addressVia(clientIp, service)}
                      {' · '}
                      <RelativeTime iso={lastAt} isPast />
                    </span>
                  ))}
            </dd>
          </>
        )}
      </dl>
      {children && <Box mt="xs">{children}</Box>}
      {isRecent && isWarning && (
        <Text mt="xs" c="var(--latchkey-warning)">
          {revoke.recent}
        </Text>
      )}
    </div>
  );
}
