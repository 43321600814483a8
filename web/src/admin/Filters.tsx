import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyOwner } from './types';
import { nameOf } from '../base/context';
import { useTexts } from '../texts';
import { Select } from '../ui/Select';
import { type Days, daysFrom } from './days';
import { DaysField, daysText } from './DaysField';
import { FilterBar } from './FilterBar';
import { OwnerField } from './OwnerField';
import { type AllKeysPlace, ONLY, SHOWN_LENGTH, shownPart, sortsOf, STATUSES } from './place';
import { serviceTime, useNow } from '../time/useNow';
import { useAdminTexts } from './texts';

const SOON_DAYS = 30;

interface Props {
  readonly place: AllKeysPlace;
  readonly goTo: (place: AllKeysPlace) => void;
  /** Of the first key. */
  readonly owner: KeyOwner | undefined;
  readonly counts: ReactNode;
}

/** Each choice applies at once. */
export function Filters({ place, owner, goTo, counts }: Props) {
  const { keys, language } = useTexts();
  const admin = useAdminTexts();
  const now = useNow();
  const { prefix, status, only, expires, sort } = place;
  const change = (next: Partial<AllKeysPlace>) => goTo({ ...place, keyId: undefined, ...next });
  const own = (id: string | undefined) => change({ owner: id, sort: sortsOf(id).find((each) => each === sort) });
  const shows: Readonly<Record<string, string>> = { all: admin.all, ...keys.status, ...admin.only };
  const shown = only ?? status;
  /** A revoked key does not expire any more. */
  const choose = (next: string) =>
    change({
      status: STATUSES.find((each) => each === next) ?? 'active',
      only: ONLY.find((each) => each === next),
      ...((next === 'all' || next === 'revoked') && { expires: {} }),
    });
  const findPrefix = (text: string) => {
    const isPrefix = text.length <= SHOWN_LENGTH && !/[\s@]/.test(text);
    if (isPrefix) change({ prefix: shownPart(text) });
    return isPrefix;
  };
  const expire = (days: Days) => {
    const isAny = days.from === undefined && days.until === undefined;
    change({ expires: days, status: isAny || status === 'expired' ? status : 'active' });
  };
  const known = place.owner === owner?.id ? owner : undefined;
  const soon = daysFrom(new Date(serviceTime()), SOON_DAYS);
  const soonText = admin.expires.soon(SOON_DAYS);
  const isSoon = soon.from === expires.from && soon.until === expires.until;
  const expiry = isSoon ? soonText : daysText(expires, admin.expires, now, language);

  return (
    <FilterBar
      label={admin.search}
      search={
        <OwnerField label={admin.find} placeholder={admin.findHint} onChoose={own} onOther={findPrefix} takesKeys />
      }
      filters={[
        place.owner !== undefined && {
          text: `${admin.owner}: ${(known && (known.email || nameOf(known))) ?? place.owner}`,
          onRemove: () => own(undefined),
        },
        prefix !== undefined && { text: `${admin.prefix}: ${prefix}`, onRemove: () => change({ prefix: undefined }) },
        shown !== 'all' && { text: shows[shown] ?? shown, onRemove: () => choose('all') },
        expiry !== '' && { text: expiry, onRemove: () => expire({}) },
      ]}
      aside={counts}
    >
      <Select
        label={admin.show}
        value={shown}
        onChange={(event) => choose(event.currentTarget.value)}
        data={Object.entries(shows).map(([value, label]) => ({ value, label }))}
      />
      <DaysField labels={admin.expires} days={expires} onChoose={expire} />
      <Button size="xs" variant="subtle" justify="flex-start" c="var(--latchkey-link)" onClick={() => expire(soon)}>
        {soonText}
      </Button>
    </FilterBar>
  );
}
