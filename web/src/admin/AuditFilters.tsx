import { keyIdIn } from '../base/place';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { Select } from '../ui/Select';
import { DaysField, daysText } from './DaysField';
import { FilterBar } from './FilterBar';
import { OwnerField } from './OwnerField';
import type { AuditPlace } from './place';
import { useAdminTexts } from './texts';

interface Props {
  readonly place: AuditPlace;
  readonly goTo: (next: Partial<AuditPlace>) => void;
}

/** Each choice applies at once. */
export function AuditFilters({ place, goTo }: Props) {
  const { audit } = useAdminTexts();
  const { language } = useTexts();
  const { actor, owner, of, type, days } = place;
  const types: Readonly<Record<string, string>> = audit.types;
  const range = daysText(days, audit.days, useNow(), language);
  return (
    <FilterBar
      label={audit.search}
      search={
        <OwnerField
          label={audit.find}
          placeholder={audit.find}
          onChoose={(id) => goTo({ actor: id })}
          onOther={(text) => {
            const id = keyIdIn(text.toLowerCase());
            if (id !== undefined) goTo({ of: id });
            return id !== undefined;
          }}
        />
      }
      filters={[
        actor !== undefined && { text: `${audit.actor}: ${actor}`, onRemove: () => goTo({ actor: undefined }) },
        owner !== undefined && { text: `${audit.account}: ${owner}`, onRemove: () => goTo({ owner: undefined }) },
        of !== undefined && { text: `${audit.key}: ${of}`, onRemove: () => goTo({ of: undefined }) },
        type !== undefined && { text: types[type] ?? type, onRemove: () => goTo({ type: undefined }) },
        range !== '' && { text: range, onRemove: () => goTo({ days: {} }) },
      ]}
    >
      <OwnerField label={audit.account} onChoose={(id) => goTo({ owner: id })} />
      <Select
        label={audit.type}
        value={type ?? ''}
        onChange={({ currentTarget: { value } }) => goTo({ type: value || undefined })}
        data={[
          { value: '', label: audit.anyType },
          ...Object.entries(types).map(([value, label]) => ({ value, label })),
        ]}
      />
      <DaysField labels={audit.days} days={days} onChoose={(chosen) => goTo({ days: chosen })} />
    </FilterBar>
  );
}
