import { Text } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './ActiveCount.module.css';

const MOST_PLACES = 10;

interface Props {
  readonly active: number;
  readonly most: number;
}

/** "3 active keys, 2 more possible", with a mark for each place unless there are many. */
export function ActiveCount({ active, most }: Props) {
  const texts = useTexts();
  return (
    <Text component="span" size="sm" c="dimmed" className={classes.count}>
      {most <= MOST_PLACES && (
        <span className={classes.places} aria-hidden="true">
          {Array.from({ length: most }, (_, place) => (
            <span key={place} className={classes.place} data-taken={place < active || undefined} />
          ))}
        </span>
      )}
      {texts.keys.activeOf(active, most)}
    </Text>
  );
}
