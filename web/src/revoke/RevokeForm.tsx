import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { useRef, useState, type FormEvent } from 'react';
import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { KeyFacts } from './KeyFacts';
import type { RevokeWords } from './revoke-words';

interface Props {
  readonly apiKey: ApiKey;
  readonly words: RevokeWords;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onRevoke: () => void;
  readonly onCancel: () => void;
}

/**
 * The person ticks a box whose label names the key, instead of typing its name: revoking a leaked key must take only
 * seconds, also on a phone, and a copied name proves nothing. Name, prefix and last use protect from revoking the wrong
 * key. The button is never disabled; pressing it shows what is missing. It turns red when the box is ticked.
 */
export function RevokeForm({ apiKey, words, error, isPending, onRevoke, onCancel }: Props) {
  const texts = useTexts();
  const [isConfirmed, setConfirmed] = useState(false);
  const [isReminded, setReminded] = useState(false);
  const checkbox = useRef<HTMLInputElement>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    if (isConfirmed) return onRevoke();
    setReminded(true);
    checkbox.current?.focus();
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{words.consequence}</Text>
        <KeyFacts apiKey={apiKey} />
        {words.warning !== undefined && (
          <Notice tone="warning" isNews={false}>
            {words.warning}
          </Notice>
        )}
        <Checkbox
          ref={checkbox}
          data-autofocus
          label={words.confirm}
          checked={isConfirmed}
          onChange={(event) => setConfirmed(event.currentTarget.checked)}
          error={isReminded && !isConfirmed && texts.revoke.confirmNeeded}
        />
        {error !== null && <FailureAlert error={error} />}
        <DialogFooter>
          <Text size="sm" c="dimmed" role="status" flex={1}>
            {isPending && texts.revoke.stopping}
          </Text>
          <Button variant="default" onClick={onCancel} disabled={isPending}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isPending} {...(isConfirmed ? { color: 'red' } : { variant: 'default' })}>
            {words.submit}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}
