import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../texts';
import { DAY_MS, longDate } from '../time/format';
import { useNow } from '../time/useNow';
import { ChoiceCards } from '../ui/ChoiceCards';
import { daysOf, EXPIRY_PRESETS } from './fields';

const OWN = 'own';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (days: string) => void;
  readonly error: string | undefined;
}

export function ExpiryField({ label, value, onChange, error }: Props) {
  const { create, language } = useTexts();
  const now = useNow();
  const presets = EXPIRY_PRESETS.map(String);
  const [isOwn, setOwn] = useState(!presets.includes(value));
  const days = daysOf(value);

  const choose = (choice: string) => {
    setOwn(choice === OWN);
    if (choice !== OWN) onChange(choice);
  };
  return (
    <ChoiceCards
      name="expiry"
      label={label}
      isCompact
      choices={[
        ...EXPIRY_PRESETS.map((preset) => ({ value: String(preset), label: create.days(preset) })),
        { value: OWN, label: create.ownDays },
      ]}
      value={isOwn ? OWN : value}
      onChange={choose}
      {...(days !== undefined && { note: create.expiresOn(longDate(now + days * DAY_MS, language)) })}
    >
      {isOwn && (
        <TextInput
          name="days"
          mt="xs"
          label={create.ownDaysLabel}
          inputMode="numeric"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error}
        />
      )}
    </ChoiceCards>
  );
}
