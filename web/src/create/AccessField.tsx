import { lowerAccess } from '../../../src/domain/accounts/access-level';
import type { AccessLevel, KeyPolicy } from '../api/types';
import { limitText } from '../key/limits';
import { useTexts } from '../texts';
import { ChoiceCards } from '../ui/ChoiceCards';

const LEVELS: readonly AccessLevel[] = ['read-only', 'read-and-write'];

interface Props {
  readonly value: AccessLevel;
  readonly policy: KeyPolicy;
  readonly onChange: (access: AccessLevel) => void;
  readonly error: string | undefined;
}

/** A level above the ceiling is shown with the reason why it can't be chosen. */
export function AccessField({ value, policy, onChange, error }: Props) {
  const texts = useTexts();
  const { create, keys } = texts;
  const choices = LEVELS.map((level) => {
    const isDisabled = lowerAccess(level, policy.maxAccess) !== level;
    const text = isDisabled ? limitText(policy, 'maxAccess', texts) : create.accessText[level];
    return { value: level, label: keys.access[level], text, isDisabled };
  });
  return (
    <ChoiceCards
      name="access"
      label={create.access}
      choices={choices}
      value={value}
      onChange={onChange}
      note={create.never}
      error={error}
    />
  );
}
