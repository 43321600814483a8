import { NativeSelect } from '@mantine/core';
import { useRef, useState } from 'react';
import { keyIdIn } from '../base/place';
import classes from './admin.module.css';
import { DaysField } from './DaysField';
import { OwnerField } from './OwnerField';
import { hasSecret, type AuditPlace } from './place';
import { SearchField } from './SearchField';
import { useAdminTexts } from './texts';

interface Props {
  readonly place: AuditPlace;
  readonly goTo: (next: Partial<AuditPlace>) => void;
}

/** The type applies at once, and what is typed with Enter or its button. */
export function AuditFilters({ place, goTo }: Props) {
  const { audit } = useAdminTexts();
  return (
    <div role="search" aria-label={audit.search} className={`${classes.filters} ${classes.even}`}>
      <OwnerField
        label={audit.actor}
        clearLabel={audit.clearActor}
        ownerId={place.actor}
        onChoose={(actor) => goTo({ actor })}
      />
      <OwnerField
        label={audit.account}
        clearLabel={audit.clearAccount}
        ownerId={place.owner}
        onChoose={(owner) => goTo({ owner })}
      />
      <KeyField keyId={place.of} onChoose={(of) => goTo({ of })} />
      <DaysField labels={audit.days} days={place.days} onChoose={(days) => goTo({ days })}>
        <NativeSelect
          label={audit.type}
          value={place.type ?? ''}
          onChange={({ currentTarget: { value } }) => goTo({ type: value || undefined })}
          data={[
            { value: '', label: audit.anyType },
            ...Object.entries(audit.types).map(([value, label]) => ({ value, label })),
          ]}
        />
      </DaysField>
    </div>
  );
}

interface KeyFieldProps {
  readonly keyId: string | undefined;
  readonly onChoose: (keyId: string | undefined) => void;
}

/** Takes the id of a key alone, so that nothing else is sent. */
function KeyField({ keyId, onChoose }: KeyFieldProps) {
  const { audit } = useAdminTexts();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState({ keyId, text: keyId ?? '', isWrong: false });
  // "Back" may lead to another key.
  if (typed.keyId !== keyId) setTyped({ keyId, text: keyId ?? '', isWrong: false });
  const text = typed.text.trim().toLowerCase();
  const search = () => {
    const isWrong = text !== '' && keyIdIn(text) === undefined;
    setTyped({ ...typed, isWrong });
    if (!isWrong && text !== (keyId ?? '')) onChoose(text || undefined);
  };
  return (
    <SearchField
      label={audit.key}
      placeholder={audit.keyHint}
      value={typed.text}
      isChanged={text !== (keyId ?? '')}
      error={typed.isWrong && audit.noKeyId}
      input={input}
      onType={(next) => setTyped({ keyId, text: hasSecret(next) ? '' : next, isWrong: false })}
      onSearch={search}
      clear={keyId === undefined ? undefined : { label: audit.clearKey, onClear: () => onChoose(undefined) }}
    />
  );
}
