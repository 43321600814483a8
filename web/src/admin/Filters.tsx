import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState, type ClipboardEvent } from 'react';
import type { KeyOwner } from '../api/types';
import { useTexts } from '../texts';
import classes from './admin.module.css';
import { OwnerField } from './OwnerField';
import { SHOWN_LENGTH, shownPart, STATUSES, type AllKeysPlace, type Status } from './place';
import { useAdminTexts } from './texts';

interface Props {
  readonly place: AllKeysPlace;
  readonly goTo: (place: AllKeysPlace) => void;
  /** Of the first key. */
  readonly owner: KeyOwner | undefined;
  /** Why the service refuses the prefix. */
  readonly error: string | undefined;
}

/** Each choice applies at once, a text with Enter: each search is on the audit trail. An emptied field shows all again. */
export function Filters({ place, owner, goTo, error }: Props) {
  const { keys } = useTexts();
  const admin = useAdminTexts();
  const { prefix, status } = place;
  const [typed, setTyped] = useState({ prefix, text: prefix ?? '' });
  // "Back" may lead to another prefix.
  if (typed.prefix !== prefix) setTyped({ prefix, text: prefix ?? '' });
  const change = (next: Partial<AllKeysPlace>) => goTo({ ...place, keyId: undefined, ...next });
  const applyPrefix = (text: string) => {
    const next = shownPart(text) || undefined;
    setTyped({ prefix, text: next ?? '' });
    if (next !== prefix) change({ prefix: next });
  };
  const paste = (event: ClipboardEvent) => {
    // The secret part never gets into the field.
    event.preventDefault();
    setTyped({ prefix, text: shownPart(event.clipboardData.getData('text')) });
  };
  /** An ended key is not used and does not expire any more. */
  const narrow = (next: Pick<AllKeysPlace, 'isUnused' | 'isExpiring'>) =>
    change({ ...next, status: next.isUnused || next.isExpiring ? 'active' : status });
  const choose = (next: Status) =>
    change({ status: next, ...(next !== 'active' && { isUnused: false, isExpiring: false }) });

  return (
    <div role="search" aria-label={admin.search} className={classes.filters}>
      <OwnerField
        ownerId={place.owner}
        owner={place.owner === owner?.id ? owner : undefined}
        onChoose={(id) => change({ owner: id })}
        onKeyPasted={(text) => setTyped({ prefix, text: shownPart(text) })}
      />
      <TextInput
        label={admin.prefix}
        placeholder={admin.prefixHint}
        value={typed.text}
        maxLength={SHOWN_LENGTH}
        onChange={(event) => setTyped({ prefix, text: event.currentTarget.value.slice(0, SHOWN_LENGTH) })}
        onPaste={paste}
        onKeyDown={({ key }) => key === 'Enter' && applyPrefix(typed.text)}
        onBlur={() => typed.text === '' && applyPrefix('')}
        error={error}
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        label={admin.status}
        value={status}
        onChange={(event) => choose(event.currentTarget.value as Status)}
        data={STATUSES.map((value) => ({ value, label: value === 'all' ? admin.anyStatus : keys.status[value] }))}
      />
      <div className={classes.boxes}>
        <Checkbox
          label={admin.unused}
          checked={place.isUnused}
          onChange={({ currentTarget }) => narrow({ ...place, isUnused: currentTarget.checked })}
        />
        <Checkbox
          label={admin.expiring}
          checked={place.isExpiring}
          onChange={({ currentTarget }) => narrow({ ...place, isExpiring: currentTarget.checked })}
        />
      </div>
    </div>
  );
}
