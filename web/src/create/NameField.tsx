import { Text, TextInput } from '@mantine/core';
import { useApiKeys } from '../keys/useApiKeys';
import { useTexts } from '../texts';
import classes from './NameField.module.css';

interface Props {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** Names need not be unique, but the form warns of a second key with the same name. */
export function NameField({ value, onChange, error }: Props) {
  const { create } = useTexts();
  const { keys } = useApiKeys('active');
  const name = comparable(value);
  const taken = keys.find((key) => comparable(key.name) === name);
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
      <Text role="status" size="xs" className={classes.taken}>
        {taken && create.nameTaken(taken.name, taken.prefix)}
      </Text>
    </div>
  );
}

/** For people, names that differ only in capitals are the same. */
function comparable(name: string): string {
  return name.normalize('NFC').trim().toLocaleLowerCase();
}
