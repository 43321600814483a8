import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyFound } from '../key/useKey';
import { statusAt } from '../key/status';
import { laterTexts } from '../texts/later';
import { useTexts } from '../texts';
import { monthDay, wholeNumber } from '../time/format';
import { weekUntil } from './usage';

const english = {
  lately: (did: string) => `In the last 7 days: ${did}`,
  before: (did: string) => `In its last 7 days: ${did}`,
  nothing: 'no request accepted',
  accepted: (count: number, written: string) => `${written} ${count === 1 ? 'request' : 'requests'} accepted`,
  from: (count: number, isAtLeast: boolean) =>
    `, from ${isAtLeast ? 'at least ' : ''}${count} ${count === 1 ? 'address' : 'addresses'}`,
  isNew: (count: number, address: string, day: string) =>
    count === 1
      ? `; ${address} was first used on ${day}`
      : `; ${count} of them are new, most recently ${address} on ${day}`,
  see: 'See its usage',
};

const lastWeekTexts = laterTexts(english, {
  lately: (did) => `In den letzten 7 Tagen: ${did}`,
  before: (did) => `In seinen letzten 7 Tagen: ${did}`,
  nothing: 'keine Anfrage akzeptiert',
  accepted: (count, written) => `${written} ${count === 1 ? 'Anfrage' : 'Anfragen'} akzeptiert`,
  from: (count, isAtLeast) => `, von ${isAtLeast ? 'mindestens ' : ''}${count} ${count === 1 ? 'Adresse' : 'Adressen'}`,
  isNew: (count, address, day) =>
    count === 1
      ? `; ${address} wurde erstmals am ${day} genutzt`
      : `; ${count} davon sind neu, zuletzt ${address} am ${day}`,
  see: 'Nutzung ansehen',
});

const NO_BREAK = '\u00a0';

interface Props {
  readonly found: KeyFound;
  /** Now, or when the key ended. */
  readonly end: number;
  /** Leads to the usage of the key. */
  readonly link: (words: string) => ReactNode;
}

/** What a leaked key did before anybody noticed, as far as it is recorded. */
export function LastWeek({ found: { key, isLoading }, end, link }: Props) {
  const { language, loading } = useTexts();
  const words = lastWeekTexts(language);
  if (!words) return null;
  const { uses, days } = key ?? {};
  const did = () => {
    if (!key || !uses || !days) return undefined;
    const { requests, addresses, isAtLeast, isNew } = weekUntil({ ...key, uses, days }, end);
    const [newest] = isNew;
    const sentence =
      requests === 0
        ? words.nothing
        : words.accepted(requests, wholeNumber(requests, language)) +
          (addresses > 0 ? words.from(addresses, isAtLeast) : '') +
          (newest
            ? words.isNew(isNew.length, newest.clientIp, monthDay(newest.firstAt, language).replaceAll(' ', NO_BREAK))
            : '');
    return (statusAt(key, end) === 'active' ? words.lately : words.before)(sentence);
  };
  const sentence = isLoading ? loading : did();
  return (
    <Text size="sm">
      {sentence}
      {sentence && ' · '}
      {link(words.see)}
    </Text>
  );
}
