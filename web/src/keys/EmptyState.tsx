import { Button, Text, Title } from '@mantine/core';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { CheckIcon, KeyIcon } from '../ui/icons';
import classes from './EmptyState.module.css';

export function EmptyState({ onCreate }: { readonly onCreate: () => void }) {
  const { empty } = useTexts().keys;
  const { helpUrl } = usePanel();
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
      <HelpLink url={helpUrl} />
    </div>
  );
}
