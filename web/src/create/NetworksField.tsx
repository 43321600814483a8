import { Button, Group, InputBase, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usePanel } from '../base/context';
import { MAX_ALLOWED_NETWORKS } from '../rules';
import { useTexts } from '../texts';
import { networksIn } from './form';
import classes from './create.module.css';

interface Props {
  /** One network per line. */
  readonly value: string;
  readonly onChange: (networks: string) => void;
  readonly error: string | undefined;
}

export function NetworksField({ value, onChange, error }: Props) {
  const { restrictions: words } = useTexts();
  const { client } = usePanel();
  // Read again each time, because people move to other networks.
  const { data } = useQuery({
    queryKey: ['own-address'],
    queryFn: () => client.getOwner(),
    staleTime: 0,
    select: ({ clientIp }) => clientIp,
  });
  const lines = networksIn(value);
  return (
    <Stack gap="xs" align="flex-start">
      <InputBase
        component="textarea"
        multiline
        rows={3}
        name="networks"
        w="100%"
        label={words.allowedNetworks}
        description={words.networksHint(MAX_ALLOWED_NETWORKS)}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        classNames={{ input: classes.input }}
      />
      {data && !lines.includes(data) && (
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => onChange([...lines, data].join('\n'))}>
            {words.addOwn}
          </Button>
          <code>{data}</code>
        </Group>
      )}
      <Text size="sm" c="dimmed">
        {words.networksNote}
      </Text>
    </Stack>
  );
}
