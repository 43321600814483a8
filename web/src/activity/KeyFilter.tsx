import { NativeSelect } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { statusAt } from '../key/status';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import classes from './activity.module.css';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly value: string | undefined;
  readonly onChange: (keyId: string | undefined) => void;
}

/** The browser's own select element, which works with keyboards, screen readers and phones. */
export function KeyFilter({ keys, value, onChange }: Props) {
  const { activity } = useTexts();
  const now = useNow();
  const optionsOf = (isActive: boolean) =>
    keys
      .filter((key) => (statusAt(key, now) === 'active') === isActive)
      .map((key) => ({ value: key.id, label: activity.keyOption(key.name, key.prefix) }));
  const isKnown = value === undefined || keys.some(({ id }) => id === value);
  return (
    <NativeSelect
      className={classes.keys}
      aria-label={activity.keyFilterLabel}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={[
        { value: '', label: activity.allKeys },
        ...(isKnown ? [] : [{ value, label: activity.unknownName }]),
        { group: activity.activeKeys, items: optionsOf(true) },
        { group: activity.endedKeys, items: optionsOf(false) },
      ].filter((each) => !('items' in each) || each.items.length > 0)}
    />
  );
}
