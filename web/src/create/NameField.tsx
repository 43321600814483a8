import { Text, TextInput } from '@mantine/core';
import { statusAt } from '../key/status';
import { useApiKeys } from '../key/list';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';

interface Props {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** Names need not be unique, but the form warns of a second key with the same name. */
export function NameField({ value, onChange, error }: Props) {
  const { create } = useTexts();
  const { keys } = useApiKeys();
  const name = comparable(value);
  const now = useNow();
  const taken = keys.find((key) => comparable(key.name) === name && statusAt(key, now) === 'active');
  return (
    <div>
      <TextInput
        name="name"
        label={create.name}
        description={create.nameHint}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        autoComplete="off"
        data-autofocus
      />
      <Text role="status" size="xs" mt={taken ? 5 : 0} c="var(--latchkey-warning)">
        {taken && create.nameTaken(taken.name, taken.prefix)}
      </Text>
    </div>
  );
}

/** For people, names that differ only in capitals are the same. */
function comparable(name: string): string {
  return name.normalize('NFC').trim().toLocaleLowerCase();
}
