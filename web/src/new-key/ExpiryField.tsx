import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { limitText } from '../key/limits';
import { useApiKeys } from '../key/list';
import { useOwner } from '../base/context';
import { MAX_KEY_DAYS } from '../rules';
import { useTexts, type Texts } from '../texts';
import { calendarDate, DAY_MS, wordList } from '../time/format';
import { useNow } from '../time/useNow';
import { ChoiceCards } from '../ui/ChoiceCards';
import { CUSTOM, daysOf, expiryIn, firstDate, lastDate } from './expiry';
import type { Expiry } from '../base/trip';
import { mailedDays } from '../key/status';

const PRESETS = [7, 30, 60, 90, 365];

interface Props {
  readonly label: string;
  readonly value: Expiry;
  readonly onChange: (expiry: Expiry) => void;
  readonly error: string | undefined;
}

export function ExpiryField({ label, value, onChange, error }: Props) {
  const texts = useTexts();
  const { create, language } = texts;
  const noticeDays = useOwner().data?.expiryNoticeDays ?? [];
  const now = useNow();
  const { policy } = useApiKeys();
  const { maxKeyDays } = policy;
  const days = daysOf(value, now, maxKeyDays);
  const limit = maxKeyDays < MAX_KEY_DAYS ? `${limitText(policy, 'maxKeyDays', texts)} ` : '';
  const isCustom = value.choice === CUSTOM;
  const dateText = (date: string) => calendarDate(`${date}T12:00`, language);

  // The lifetime of an earlier key, or the longest that is allowed, is a choice like the others.
  const [first] = useState(Number(value.choice));
  const offered = new Set([...PRESETS, maxKeyDays, ...(first ? [first] : [])]);
  const choose = (choice: string) => onChange(choice === CUSTOM ? { ...value, choice } : expiryIn(Number(choice), now));
  return (
    <ChoiceCards
      name="preset"
      label={label}
      choices={[
        ...[...offered]
          .filter((preset) => preset <= maxKeyDays)
          .sort((one, other) => one - other)
          .map((preset) => ({ value: String(preset), label: create.days(preset) })),
        { value: CUSTOM, label: create.custom },
      ]}
      value={value.choice}
      onChange={choose}
      note={
        days === undefined
          ? create.range(dateText(firstDate(now)), dateText(lastDate(now, maxKeyDays)))
          : `${limit}${expiryText(days, now, isCustom, texts)} ${mailText(mailedDays(noticeDays, days), texts)}`.trim()
      }
    >
      {isCustom && (
        <TextInput
          name="expiry"
          type="date"
          mt="xs"
          label={create.date}
          min={firstDate(now)}
          max={lastDate(now, maxKeyDays)}
          value={value.date}
          onChange={(event) => onChange({ choice: CUSTOM, date: event.currentTarget.value })}
          error={error}
        />
      )}
    </ChoiceCards>
  );
}

function expiryText(days: number, now: number, isCustom: boolean, { create, language }: Texts): string {
  const date = calendarDate(now + days * DAY_MS, language);
  return isCustom ? create.expiresOnIn(date, create.days(days)) : create.expiresOn(date);
}

function mailText(days: readonly number[], { create, language }: Texts): string {
  const [first] = days;
  if (first === undefined) return '';
  return first === 1 ? create.mailedOneDay : create.mailed(wordList(days.map(String), language));
}
