import { Button } from '@mantine/core';
import { useRef } from 'react';
import type { OwnedKey } from './types';
import { Counts } from './Counts';
import { nameOf } from '../base/context';
import { useTexts } from '../texts';
import { Select } from '../ui/Select';
import { type Days, daysFrom, timesOf } from './days';
import { DaysField, daysText } from './DaysField';
import { FilterBar } from './FilterBar';
import { OwnerField } from './OwnerField';
import { type AllKeysPlace, mayBeginKey, ONLY, shownPart, sortsOf, STATUSES } from './place';
import { serviceTime, useNow } from '../time/useNow';
import { useAdminTexts } from './texts';

const SOON_DAYS = 30;
/** In which a key is counted as expiring. */
const COUNTED_DAYS = 7;

interface Props {
  readonly place: AllKeysPlace;
  readonly goTo: (place: AllKeysPlace) => void;
  /** Those that are listed. */
  readonly keys: readonly OwnedKey[];
}

/** Each choice applies at once. */
export function Filters({ place, keys, goTo }: Props) {
  const { accounts, keys: words, language } = useTexts();
  const admin = useAdminTexts();
  const now = useNow();
  const { prefix, status, only, expires, sort, createdBy } = place;
  const change = (next: Partial<AllKeysPlace>) => goTo({ ...place, keyId: undefined, ...next });
  const own = (id: string | undefined) => change({ owner: id, sort: sortsOf(id).find((each) => each === sort) });
  const shows: Readonly<Record<string, string>> = { all: admin.all, ...words.status, ...admin.only };
  const shown = only ?? status;
  /** A revoked key does not expire any more. */
  const choose = (next: string) =>
    change({
      status: STATUSES.find((each) => each === next) ?? 'active',
      only: ONLY.find((each) => each === next),
      ...((next === 'all' || next === 'revoked') && { expires: {} }),
    });
  const findPrefix = (text: string) => {
    const isPrefix = mayBeginKey(text);
    if (isPrefix) change({ prefix: shownPart(text) });
    return isPrefix;
  };
  const isAny = (days: Days) => days.from === undefined && days.until === undefined;
  /** Whether the keys of every status were listed before days were chosen, and are again without them. */
  const wasAll = useRef(false);
  const expire = (days: Days) => {
    if (isAny(expires)) wasAll.current = status === 'all';
    const before = wasAll.current && shown === 'active' ? 'all' : status;
    const among = status === 'expired' ? status : 'active';
    change({ expires: days, status: isAny(days) ? before : among });
  };
  const [first] = keys;
  const owner = place.owner === first?.owner.id ? first?.owner : undefined;
  const maker = createdBy === first?.createdBy?.id ? first?.createdBy : undefined;
  const within = (days: number) => daysFrom(new Date(serviceTime()), days);
  const isWithin = (days: number) => within(days).from === expires.from && within(days).until === expires.until;
  const isSoon = isWithin(COUNTED_DAYS);
  const near = [COUNTED_DAYS, SOON_DAYS].find(isWithin);
  const withoutUnused = isAny(expires) ? 'all' : 'active';
  const soonText = admin.expires.soon(SOON_DAYS);
  const expiry = near === undefined ? daysText(expires, admin.expires, now, language) : admin.expires.soon(near);

  return (
    <FilterBar
      label={admin.search}
      search={
        <OwnerField
          label={admin.find}
          placeholder={admin.findHint}
          onChoose={own}
          onOther={findPrefix}
          none={admin.noOwnerOrKey}
          takesKeys
        />
      }
      filters={[
        place.owner !== undefined && {
          text: `${admin.owner}: ${(owner && (owner.email || nameOf(owner))) ?? place.owner}`,
          onRemove: () => own(undefined),
        },
        createdBy !== undefined && {
          text: `${accounts.madeBy}: ${maker ? nameOf(maker) : createdBy}`,
          onRemove: () => change({ createdBy: undefined }),
        },
        prefix !== undefined && { text: `${admin.prefix}: ${prefix}`, onRemove: () => change({ prefix: undefined }) },
        shown !== 'all' && { text: shows[shown] ?? shown, onRemove: () => choose('all') },
        expiry !== '' && { text: expiry, onRemove: () => expire({}) },
      ]}
      aside={
        <Counts
          keys={keys}
          days={timesOf(within(COUNTED_DAYS))}
          filters={{
            active: [shown === 'active', () => (shown === 'active' ? change({ status: 'all' }) : choose('active'))],
            soon: [isSoon, () => expire(isSoon ? {} : within(COUNTED_DAYS))],
            unused: [shown === 'unused', () => choose(shown === 'unused' ? withoutUnused : 'unused')],
          }}
        />
      }
    >
      <Select
        label={admin.show}
        value={shown}
        onChange={(event) => choose(event.currentTarget.value)}
        data={Object.entries(shows).map(([value, label]) => ({ value, label }))}
      />
      <DaysField labels={admin.expires} days={expires} onChoose={expire} />
      <Button
        size="xs"
        variant="subtle"
        justify="flex-start"
        c="var(--latchkey-link)"
        onClick={() => expire(within(SOON_DAYS))}
      >
        {soonText}
      </Button>
    </FilterBar>
  );
}
