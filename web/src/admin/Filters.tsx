import { Button, NativeSelect } from '@mantine/core';
import { type ClipboardEvent, useRef, useState } from 'react';
import type { KeyOwner } from './types';
import { useTexts } from '../texts';
import { FilterFold } from '../ui/FilterFold';
import classes from './admin.module.css';
import { type Days, daysFrom, monthOf } from './days';
import { DaysField } from './DaysField';
import { OwnerField } from './OwnerField';
import {
  type AllKeysPlace,
  filtersOf,
  ONLY,
  SHOWN_LENGTH,
  shownPart,
  SORTS,
  sortsOf,
  type Status,
  STATUSES,
} from './place';
import { SearchField } from './SearchField';
import { serviceTime } from '../time/useNow';
import { useAdminTexts } from './texts';

const SOON_DAYS = 30;

interface Props {
  readonly place: AllKeysPlace;
  readonly goTo: (place: AllKeysPlace) => void;
  /** Of the first key. */
  readonly owner: KeyOwner | undefined;
  /** Why the service refuses the prefix. */
  readonly error: string | undefined;
}

/** Each choice applies at once, and what is typed or pasted with Enter or its button. */
export function Filters({ place, owner, goTo, error }: Props) {
  const { keys } = useTexts();
  const admin = useAdminTexts();
  const { prefix, status, only, expires, sort } = place;
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState({ prefix, text: prefix ?? '' });
  // "Back" may lead to another prefix.
  if (typed.prefix !== prefix) setTyped({ prefix, text: prefix ?? '' });
  const change = (next: Partial<AllKeysPlace>) => goTo({ ...place, keyId: undefined, ...next });
  /** The secret part never gets into the field. */
  const take = (text: string) => {
    setTyped({ prefix, text: shownPart(text) });
    input.current?.focus();
  };
  const paste = (event: ClipboardEvent) => {
    event.preventDefault();
    take(event.clipboardData.getData('text'));
  };
  const next = shownPart(typed.text) || undefined;
  const apply = () => {
    setTyped({ prefix, text: next ?? '' });
    if (next !== prefix) change({ prefix: next });
  };
  /** A revoked key does not expire any more, and an ended one is not used. */
  const choose = (chosen: Status) =>
    change({
      status: chosen,
      only: chosen === 'active' ? only : undefined,
      ...(chosen !== 'active' && chosen !== 'expired' && { expires: {} }),
    });
  const expire = (days: Days) => {
    const isAny = days.from === undefined && days.until === undefined;
    change({ expires: days, status: isAny || status === 'expired' ? status : 'active' });
  };

  return (
    <FilterFold active={filtersOf(place)}>
      <div role="search" aria-label={admin.search} className={classes.filters}>
        <OwnerField
          label={admin.owner}
          clearLabel={admin.clearOwner}
          ownerId={place.owner}
          owner={place.owner === owner?.id ? owner : undefined}
          onChoose={(id) => change({ owner: id, sort: sortsOf(id).find((each) => each === sort) })}
          onKeyPasted={take}
        />
        <SearchField
          label={admin.prefix}
          placeholder={admin.prefixHint}
          value={typed.text}
          maxLength={SHOWN_LENGTH}
          isChanged={next !== prefix}
          error={error}
          input={input}
          onType={(text) => setTyped({ prefix, text: text.slice(0, SHOWN_LENGTH) })}
          onPaste={paste}
          onSearch={apply}
        />
        <NativeSelect
          label={admin.status}
          value={status}
          onChange={(event) => choose(event.currentTarget.value as Status)}
          data={STATUSES.map((value) => ({ value, label: value === 'all' ? admin.anyStatus : keys.status[value] }))}
        />
        <NativeSelect
          label={admin.only.label}
          value={only ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const chosen = ONLY.find((each) => each === value);
            change({ only: chosen, status: chosen ? 'active' : status });
          }}
          data={[{ value: '', label: admin.only.any }, ...ONLY.map((value) => ({ value, label: admin.only[value] }))]}
        />
        <NativeSelect
          label={admin.sort.label}
          value={sort ?? ''}
          onChange={({ currentTarget: { value } }) => change({ sort: SORTS.find((each) => each === value) })}
          data={[
            { value: '', label: admin.sort.created },
            ...sortsOf(place.owner).map((value) => ({ value, label: admin.sort[value] })),
          ]}
        />
        <DaysField labels={admin.expires} days={expires} onChoose={expire}>
          <Button variant="subtle" px="xs" onClick={() => expire(monthOf(new Date(serviceTime())))}>
            {admin.expires.thisMonth}
          </Button>
          <Button variant="subtle" px="xs" onClick={() => expire(daysFrom(new Date(serviceTime()), SOON_DAYS))}>
            {admin.expires.soon(SOON_DAYS)}
          </Button>
          <Button variant="subtle" px="xs" onClick={() => expire({})}>
            {admin.expires.any}
          </Button>
        </DaysField>
      </div>
    </FilterFold>
  );
}
