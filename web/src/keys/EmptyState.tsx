import { Button, Stack, Text, Title } from '@mantine/core';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import list from '../ui/list.module.css';
import classes from './EmptyState.module.css';

interface Props {
  readonly isWaiting: boolean;
  readonly onCreate: () => void;
}

export function EmptyState({ isWaiting, onCreate }: Props) {
  const { keys, reveal } = useTexts();
  const { empty } = keys;
  const { exampleUrl } = usePanel();
  return (
    <div className={`${list.frame} ${classes.empty}`}>
      <Stack align="flex-start" gap="sm">
        <Title order={3} size="h4">
          {empty.title}
        </Title>
        <Text c="dimmed" size="sm">
          {empty.text}
        </Text>
        <Button
          {...(isWaiting && { 'aria-disabled': true, 'data-disabled': true })}
          onClick={() => !isWaiting && onCreate()}
        >
          {empty.create}
        </Button>
      </Stack>
      <code className={classes.example}>
        {`curl -H "Authorization: Bearer $API_KEY" \\\n'${exampleUrl ?? reveal.address}'`}
      </code>
    </div>
  );
}
