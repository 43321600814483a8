import { Button, Text, Title } from '@mantine/core';
import { texts } from '../texts';
import { CheckIcon, KeyIcon } from '../ui/icons';
import classes from './EmptyState.module.css';

export function EmptyState({ onCreate }: { readonly onCreate: () => void }) {
  const { empty } = texts.keys;
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
      <Button onClick={onCreate}>{empty.create}</Button>
    </div>
  );
}
