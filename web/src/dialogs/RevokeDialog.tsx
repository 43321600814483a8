import { type FormEvent, useId, useRef, useState } from 'react';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import type { ActionDialogProps } from '../key/actions';
import { pauseOf, type Rotation } from '../key/status';
import { useRotation } from '../key/useKey';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { Checkbox } from '../ui/Checkbox';
import { Dialog, DialogFooter } from '../ui/Dialog';
import { revokeWords } from '../key/revoke-words';
import { useRevokeKey } from './useRevokeKey';
import { usePauseKey } from '../key/usePauseKey';
import { FailureAlert, Notice } from '../ui/Notice';
import { KeyFacts } from '../key/KeyFacts';

interface Props extends ActionDialogProps {
  /** The rotation that the key was part of when the dialog was opened. */
  readonly rotation: Rotation | undefined;
  readonly leaked: boolean;
}

export function RevokeDialog({ apiKey, rotation, leaked, opened, onClose, onClosed }: Props) {
  const texts = useTexts();
  const { announce } = usePanel();
  // While the person decides, the other key may end or come into use.
  const current = useRotation(rotation && apiKey, opened);
  const words = useRef(revokeWords(apiKey, rotation, leaked, texts));
  if (opened) words.current = revokeWords(apiKey, current.isKnown ? current.rotation : rotation, leaked, texts);
  const revoke = useRevokeKey((message) => {
    onClose();
    announce(message);
  });
  const close = () => {
    if (revoke.isPending) return;
    revoke.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} onClosed={onClosed} title={words.current.title}>
      <RevokeForm
        apiKey={apiKey}
        isLeaked={leaked}
        words={words.current}
        error={revoke.error}
        isPending={revoke.isPending}
        onRevoke={() => revoke.mutate({ key: apiKey, rotation: current.rotation, leaked })}
        onClose={close}
      />
    </Dialog>
  );
}

interface RevokeFormProps {
  readonly apiKey: ApiKey;
  /** A stranger may use it. So a pause is no advice, and a recent use is no reason to hesitate. */
  readonly isLeaked: boolean;
  readonly words: ReturnType<typeof revokeWords>;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onRevoke: () => void;
  readonly onClose: () => void;
}

/**
 * The person ticks a box whose label names the key, instead of typing its name: revoking a leaked key must take only
 * seconds, also on a phone, and a copied name proves nothing. Name, prefix and last use protect from revoking the wrong
 * key. The button is never disabled; pressing it shows what is missing.
 */
function RevokeForm({ apiKey, isLeaked, words, error, isPending, onRevoke, onClose }: RevokeFormProps) {
  const texts = useTexts();
  const [isConfirmed, setConfirmed] = useState(false);
  const [isReminded, setReminded] = useState(false);
  const isMissing = isReminded && !isConfirmed;
  const missingId = useId();
  const pause = usePauseKey();
  const isPaused = pauseOf(apiKey, useNow()) !== undefined;

  const pauseFirst = async () => {
    if (await pause(apiKey, 60)) onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isPending) return;
    if (isConfirmed) return onRevoke();
    setReminded(true);
    event.currentTarget.querySelector('input')?.focus();
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{words.consequence}</Text>
        <KeyFacts apiKey={apiKey} isWarning={!isLeaked} />
        {words.warning !== undefined && (
          <Notice tone="warning" isNews={false}>
            {words.warning}
          </Notice>
        )}
        {!isPaused && !isLeaked && (
          <Group gap="xs">
            <Text size="sm">{texts.pause.advice}</Text>
            <Button variant="default" size="xs" disabled={isPending} onClick={() => void pauseFirst()}>
              {texts.pause.first}
            </Button>
          </Group>
        )}
        <div>
          <Checkbox
            data-autofocus
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
            aria-describedby={isMissing ? missingId : undefined}
            aria-invalid={isMissing}
          >
            {words.confirm}
          </Checkbox>
          {isMissing && (
            <Text size="xs" mt={4} c="var(--mantine-color-error)" id={missingId}>
              {texts.revoke.confirmNeeded}
            </Text>
          )}
        </div>
        {error !== null && <FailureAlert error={error} />}
        <DialogFooter>
          <Text size="sm" c="dimmed" role="status" flex={1}>
            {isPending && texts.revoke.stopping}
          </Text>
          <Button variant="default" onClick={onClose} disabled={isPending}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isPending} color="red">
            {words.submit}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}
