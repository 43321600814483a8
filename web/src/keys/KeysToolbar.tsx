import { Button, SegmentedControl, Text } from '@mantine/core';
import { useId } from 'react';
import { usePanel } from '../panel/context';
import { STATUS_FILTERS, type StatusFilter } from '../panel/place';
import { useTexts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { PlusIcon } from '../ui/icons';
import { ActiveCount } from './ActiveCount';
import classes from './KeysToolbar.module.css';

interface Props {
  readonly filter: StatusFilter;
  readonly onFilter: (filter: StatusFilter) => void;
  readonly activeKeys: number | undefined;
  readonly maxActiveKeys: number | undefined;
  /** The keys are still loading. The empty state, with its own button, may replace this toolbar. */
  readonly isWaiting: boolean;
  readonly onCreate: () => void;
}

export function KeysToolbar({ filter, onFilter, activeKeys, maxActiveKeys, isWaiting, onCreate }: Props) {
  const texts = useTexts();
  const { helpUrl } = usePanel();
  const limitId = useId();
  const limit = activeKeys !== undefined && maxActiveKeys !== undefined && activeKeys >= maxActiveKeys;
  return (
    <div className={classes.toolbar}>
      <Text c="dimmed" size="sm" className={classes.intro}>
        {texts.keys.intro}
      </Text>
      <div className={classes.row}>
        <SegmentedControl
          className={classes.filter}
          aria-label={texts.keys.filterLabel}
          size="sm"
          value={filter}
          onChange={(value) => onFilter(value as StatusFilter)}
          data={STATUS_FILTERS.map((value) => ({ value, label: texts.keys.filter[value] }))}
        />
        {activeKeys !== undefined && maxActiveKeys !== undefined && (
          <ActiveCount active={activeKeys} most={maxActiveKeys} />
        )}
        {/* Not `disabled`, so that the button can be focused and everyone can read the reason. */}
        <Button
          className={classes.create}
          leftSection={<PlusIcon />}
          {...((limit || isWaiting) && { 'aria-disabled': true, 'data-disabled': true })}
          aria-describedby={limit ? limitId : undefined}
          onClick={() => !limit && !isWaiting && onCreate()}
        >
          {texts.keys.create}
        </Button>
      </div>
      {limit && (
        <Text size="sm" className={classes.limit}>
          <span id={limitId}>{texts.keys.limit(maxActiveKeys)}</span> <HelpLink url={helpUrl} />
        </Text>
      )}
    </div>
  );
}
