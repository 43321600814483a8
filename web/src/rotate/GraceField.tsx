import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { calendarDate } from '../time/format';
import { ChoiceCards } from '../ui/ChoiceCards';
import { GRACE_CHOICES, type Grace } from './form';

interface Props {
  readonly replaced: ApiKey;
  readonly value: Grace;
  readonly onChange: (grace: Grace) => void;
  readonly error: string | undefined;
}

export function GraceField({ replaced, value, onChange, error }: Props) {
  const { rotate, language } = useTexts();
  const latest = rotate.latest(calendarDate(replaced.expiresAt, language));
  return (
    <ChoiceCards
      name="grace"
      label={rotate.grace}
      isCompact
      isFirst
      choices={GRACE_CHOICES.map((choice) => ({ value: choice, label: rotate.graceChoice[choice] }))}
      value={value}
      onChange={onChange}
      note={`${rotate.graceText[value]} ${latest}`}
      error={error}
    />
  );
}
