import { Button, Text, Title } from '@mantine/core';
import { useCanMakeKeys } from '../base/context';
import { useTexts } from '../texts';
import { CheckIcon, KeyIcon } from '../ui/icons';
import classes from './EmptyState.module.css';

interface Props {
  readonly isWaiting: boolean;
  readonly onCreate: () => void;
}

export function EmptyState({ isWaiting, onCreate }: Props) {
  const { empty } = useTexts().keys;
  const canMakeKeys = useCanMakeKeys();
  return (
    <div className={classes.empty}>
      <span className={classes.mark}>
        <KeyIcon />
      </span>
      <Title order={3} size="h4">
        {empty.title}
      </Title>
      <Text c="dimmed" size="sm" className={classes.text}>
        {empty.text}
      </Text>
      <ul className={classes.points}>
        {empty.points.map((point) => (
          <li key={point}>
            <CheckIcon />
            {point}
          </li>
        ))}
      </ul>
      {canMakeKeys && (
        <Button
          {...(isWaiting && { 'aria-disabled': true, 'data-disabled': true })}
          onClick={() => !isWaiting && onCreate()}
        >
          {empty.create}
        </Button>
      )}
    </div>
  );
}
