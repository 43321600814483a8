import { Text, TextInput } from '@mantine/core';
import { useApiKeys } from '../keys/useApiKeys';
import { useTexts } from '../texts';
import classes from './NameField.module.css';

interface Props {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** Names need not differ, but who gives two keys the same one should know. */
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

/** As people read names: two that differ in capitals alone are the same to them. */
function comparable(name: string): string {
  return name.normalize('NFC').trim().toLocaleLowerCase();
}
