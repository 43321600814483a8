import { ActionIcon, Button, Group, Loader, TextInput, VisuallyHidden } from '@mantine/core';
import { useRef, useState } from 'react';
import { describeFailure } from '../ui/Notice';
import { SearchIcon } from '../ui/icons';
import { useTexts } from '../texts';
import classes from './admin.module.css';
import { hasSecret, isPartOfKey, shownPart } from './place';
import { useAdminTexts } from './texts';
import { useFindAccounts } from './useAllKeys';

interface Props {
  readonly label: string;
  /** In place of a label that is seen. */
  readonly placeholder?: string;
  readonly onChoose: (ownerId: string) => void;
  /** Takes what is no account, such as the beginning of a key. Returns whether it is anything. */
  readonly onOther?: (text: string) => boolean;
  /** Said if it is nothing. Default: that there is no such account. */
  readonly none?: string;
  /** Whether the beginning of a key is kept. */
  readonly takesKeys?: boolean;
}

/** A service or a person at the command line, which the audit trail names and no account is called. */
const IS_NO_ACCOUNT = /^(service|admin):/;

/**
 * Finds an account by its whole email or id, with Enter or the button, and never while somebody types: each search is on
 * the audit trail. Of a key that somebody pastes, the secret is neither kept nor sent.
 */
export function OwnerField({ label, placeholder, onChoose, onOther, none, takesKeys }: Props) {
  const texts = useTexts();
  const admin = useAdminTexts();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const clear = () => {
    setTyped('');
    find.reset();
  };
  const choose = (id: string) => {
    clear();
    onChoose(id);
  };
  const find = useFindAccounts((accounts) => {
    if (accounts.length === 1) choose(accounts[0]!.id);
    else if (accounts.length === 0 && onOther?.(text)) clear();
  });
  const type = (next: string) => {
    find.reset();
    if (takesKeys && isPartOfKey(next)) setTyped(shownPart(next));
    else setTyped(hasSecret(next) ? '' : next);
  };
  const search = () => {
    input.current?.focus();
    if (find.isPending || text === '') return;
    if (IS_NO_ACCOUNT.test(text)) choose(text);
    else if (isPartOfKey(text) && onOther?.(text)) clear();
    else find.mutate(text);
  };
  const found = find.data ?? [];
  const error = find.isError
    ? `${admin.accountsFailed}. ${describeFailure(find.error, texts)}`
    : find.isSuccess && found.length === 0 && (none ?? admin.noOwner);
  const start = admin.start(label);
  return (
    <div className={placeholder && classes.search}>
      <TextInput
        {...(placeholder ? { placeholder, 'aria-label': label } : { label, placeholder: admin.ownerHint })}
        ref={input}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && search()}
        error={error}
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        leftSectionPointerEvents="all"
        leftSection={
          <ActionIcon variant="subtle" color="gray" c="dimmed" aria-label={start} title={start} onClick={search}>
            {find.isPending ? <Loader size="xs" /> : <SearchIcon />}
          </ActionIcon>
        }
      />
      <VisuallyHidden role="status">{found.length > 1 && admin.which}</VisuallyHidden>
      {found.length > 1 && (
        // One account's id may be another one's email.
        <Group gap="xs" mt="xs" role="group" aria-label={admin.which}>
          {found.map(({ id, email }) => (
            <Button key={id} size="xs" variant="default" maw="100%" onClick={() => choose(id)}>
              {[email, id].filter(Boolean).join(' · ')}
            </Button>
          ))}
        </Group>
      )}
    </div>
  );
}
