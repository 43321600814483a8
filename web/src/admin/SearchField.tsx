import { ActionIcon, CloseButton, Loader, TextInput } from '@mantine/core';
import type { ClipboardEvent, ReactNode, RefObject } from 'react';
import { SearchIcon } from '../ui/icons';
import { useAdminTexts } from './texts';

interface Props {
  readonly label: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly value: string;
  /** Whether the list is not searched by the text yet. */
  readonly isChanged: boolean;
  readonly isBusy?: boolean;
  readonly error?: ReactNode;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onType: (text: string) => void;
  readonly onPaste?: (event: ClipboardEvent) => void;
  readonly onSearch: () => void;
  /** Shows all again. */
  readonly clear?: { readonly label: string; readonly onClear: () => void } | undefined;
}

/** Searched with Enter or the button, and never while somebody types: each search is on the audit trail. */
export function SearchField({ isChanged, isBusy = false, input, onType, onSearch, clear, ...rest }: Props) {
  const admin = useAdminTexts();
  const start = admin.start(rest.label);
  const press = (act: () => void) => {
    // The button may go away.
    input.current?.focus();
    act();
  };
  const tools = (
    <>
      {isChanged && (
        <ActionIcon variant="subtle" size="md" aria-label={start} title={start} onClick={() => press(onSearch)}>
          <SearchIcon />
        </ActionIcon>
      )}
      {clear && (
        <CloseButton size="sm" aria-label={clear.label} title={clear.label} onClick={() => press(clear.onClear)} />
      )}
    </>
  );
  return (
    <TextInput
      {...rest}
      ref={input}
      onChange={(event) => onType(event.currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && onSearch()}
      enterKeyHint="search"
      autoComplete="off"
      spellCheck={false}
      rightSection={isBusy ? <Loader size="xs" /> : tools}
      {...(isChanged && clear && { rightSectionWidth: 64 })}
    />
  );
}
