import { Button, Group, VisuallyHidden } from '@mantine/core';
import { useRef, useState } from 'react';
import type { KeyOwner } from './types';
import { describeFailure } from '../ui/FailureAlert';
import { useTexts } from '../texts';
import classes from './admin.module.css';
import { hasSecret } from './place';
import { SearchField } from './SearchField';
import { nameOf, useAdminTexts } from './texts';
import { useFindAccounts } from './useAllKeys';

interface Props {
  readonly label: string;
  readonly clearLabel: string;
  readonly ownerId: string | undefined;
  /** As known from the owner's keys. */
  readonly owner?: KeyOwner | undefined;
  readonly onChoose: (ownerId: string | undefined) => void;
  /** Called instead of a search when somebody pastes a key here, which must not be sent. */
  readonly onKeyPasted?: (text: string) => void;
}

/** A service or a person at the command line, which the audit trail names and no account is called. */
const IS_NO_ACCOUNT = /^(service|admin):/;

/** Finds an account by its whole email or id. */
export function OwnerField({ label, clearLabel, ownerId, owner, onChoose, onKeyPasted }: Props) {
  const texts = useTexts();
  const admin = useAdminTexts();
  const input = useRef<HTMLInputElement>(null);
  // Undefined: the chosen owner is shown.
  const [typed, setTyped] = useState<string>();
  const shown = owner ? owner.email || nameOf(owner) : (ownerId ?? '');
  const text = typed?.trim() ?? shown;
  const choose = (id: string | undefined) => {
    setTyped(undefined);
    find.reset();
    if (id !== ownerId) onChoose(id);
  };
  const find = useFindAccounts((accounts) => {
    if (accounts.length === 1) choose(accounts[0]!.id);
  });
  const type = (next: string) => {
    find.reset();
    if (!hasSecret(next)) return setTyped(next);
    setTyped(undefined);
    onKeyPasted?.(next);
  };
  const search = () => {
    if (find.isPending) return;
    if (text === shown) choose(ownerId);
    else if (text === '' || IS_NO_ACCOUNT.test(text)) choose(text || undefined);
    else find.mutate(text);
  };
  const found = find.data ?? [];
  const error = find.isError
    ? `${admin.accountsFailed}. ${describeFailure(find.error, texts)}`
    : find.isSuccess && found.length === 0 && admin.noOwner;
  return (
    <div>
      <SearchField
        label={label}
        placeholder={admin.ownerHint}
        value={typed ?? shown}
        isChanged={text !== shown}
        isBusy={find.isPending}
        error={error}
        input={input}
        onType={type}
        onSearch={search}
        clear={ownerId === undefined ? undefined : { label: clearLabel, onClear: () => choose(undefined) }}
      />
      <VisuallyHidden role="status">{found.length > 1 && admin.which}</VisuallyHidden>
      {found.length > 1 && (
        // One account's id may be another one's email.
        <Group gap="xs" mt="xs" role="group" aria-label={admin.which}>
          {found.map(({ id, email }) => (
            <Button key={id} size="xs" variant="default" className={classes.account} onClick={() => choose(id)}>
              {[email, id].filter(Boolean).join(' · ')}
            </Button>
          ))}
        </Group>
      )}
    </div>
  );
}
