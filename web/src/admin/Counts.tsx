import { Group, Text, UnstyledButton } from '@mantine/core';
import { Fragment } from 'react';
import { statusAt } from '../key/status';
import { DAY_MS } from '../time/format';
import { useNow } from '../time/useNow';
import classes from './admin.module.css';
import type { timesOf } from './days';
import { UNUSED_DAYS } from './place';
import { useAdminTexts } from './texts';
import type { OwnedKey } from './types';

const COUNTED = ['active', 'soon', 'unused'] as const;

interface Props {
  readonly keys: readonly OwnedKey[];
  /** In which a key counts as expiring. */
  readonly days: ReturnType<typeof timesOf>;
  /** Whether only these keys are listed, and what changes that. */
  readonly filters: Readonly<Record<(typeof COUNTED)[number], readonly [boolean, () => void]>>;
}

/** How many keys are listed, active, expiring, and unused. Each count leaves the others out of the list. */
export function Counts({ keys, days: { from = '', before = '' }, filters }: Props) {
  const admin = useAdminTexts();
  const now = useNow();
  const active = keys.filter((key) => statusAt(key, now) === 'active');
  const soon = active.filter(({ expiresAt }) => from <= expiresAt && expiresAt < before);
  const counts = { active, soon, unused: active.filter((key) => isUnused(key, now)) };
  return (
    <Group gap={4} ms="auto" className={classes.counts}>
      <Text span inherit>
        {admin.counts.shown(keys.length)}
      </Text>
      {COUNTED.filter((each) => counts[each].length > 0).map((each) => {
        const text = admin.counts[each](counts[each].length);
        const [isOn, toggle] = filters[each];
        return (
          <Fragment key={each}>
            {'·'}
            <UnstyledButton
              className={classes.count}
              aria-label={`${admin.show}: ${text}`}
              aria-pressed={isOn}
              onClick={toggle}
            >
              {text}
            </UnstyledButton>
          </Fragment>
        );
      })}
    </Group>
  );
}

/** An active key that nothing has used for so long that it may not be needed. */
export const isUnused = (key: OwnedKey, now: number): boolean =>
  statusAt(key, now) === 'active' && now - Date.parse(key.lastUsedAt ?? key.createdAt) > UNUSED_DAYS * DAY_MS;
