import { Button, CloseButton, Group, Loader, TextInput, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { KeyOwner } from '../api/types';
import { describeFailure } from '../ui/describe-failure';
import { useTexts } from '../texts';
import classes from './admin.module.css';
import { hasSecret } from './place';
import { nameOf, useAdminTexts } from './texts';
import { useFindAccounts } from './useAllKeys';

interface Props {
  readonly ownerId: string | undefined;
  /** As known from the owner's keys. */
  readonly owner: KeyOwner | undefined;
  readonly onChoose: (ownerId: string | undefined) => void;
  /** Called when somebody pastes a key here, which must not be sent. */
  readonly onKeyPasted: (text: string) => void;
}

/** Finds an account by its whole email or id, with Enter: each search is on the audit trail. */
export function OwnerField({ ownerId, owner, onChoose, onKeyPasted }: Props) {
  const texts = useTexts();
  const admin = useAdminTexts();
  // Undefined: the chosen owner is shown.
  const [typed, setTyped] = useState<string>();
  const shown = owner ? owner.email || nameOf(owner) : (ownerId ?? '');
  const choose = (id: string | undefined) => {
    setTyped(undefined);
    find.reset();
    if (id !== ownerId) onChoose(id);
  };
  const find = useFindAccounts((accounts) => {
    if (accounts.length === 1) choose(accounts[0]!.id);
  });
  const type = (text: string) => {
    find.reset();
    if (!hasSecret(text)) return setTyped(text);
    setTyped(undefined);
    onKeyPasted(text);
  };
  const search = () => {
    if (typed === undefined || find.isPending || find.variables === typed.trim()) return;
    if (typed.trim() === '') choose(undefined);
    else if (typed.trim() === shown) choose(ownerId);
    else find.mutate(typed.trim());
  };
  const found = find.data ?? [];
  const error = find.isError
    ? `${admin.accountsFailed}. ${describeFailure(find.error, texts)}`
    : find.isSuccess && found.length === 0 && admin.noOwner;
  return (
    <div>
      <TextInput
        label={admin.owner}
        placeholder={admin.ownerHint}
        value={typed ?? shown}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && search()}
        onBlur={() => typed?.trim() === '' && choose(undefined)}
        error={error}
        autoComplete="off"
        spellCheck={false}
        rightSection={
          find.isPending ? (
            <Loader size="xs" />
          ) : (
            ownerId !== undefined && (
              <CloseButton
                size="sm"
                aria-label={admin.clearOwner}
                title={admin.clearOwner}
                onClick={() => choose(undefined)}
              />
            )
          )
        }
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
