import type { AccessLevel } from '../api/types';
import { useTexts } from '../texts';
import { ChoiceCards } from '../ui/ChoiceCards';

const LEVELS: readonly AccessLevel[] = ['read-only', 'read-and-write'];

interface Props {
  readonly value: AccessLevel;
  readonly onChange: (access: AccessLevel) => void;
  readonly error: string | undefined;
}

export function AccessField({ value, onChange, error }: Props) {
  const { create, keys } = useTexts();
  return (
    <ChoiceCards
      name="access"
      label={create.access}
      choices={LEVELS.map((level) => ({ value: level, label: keys.access[level], text: create.accessText[level] }))}
      value={value}
      onChange={onChange}
      note={create.never}
      error={error}
    />
  );
}
