import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey, RenameKeyRequest } from '../api/types';
import { fieldErrorsOf, oneLine, textProblems, useFieldErrors } from '../new-key/fields';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/Notice';
import { focusField } from '../ui/focus';
import { refreshKeys, showCurrent } from '../key/list';
import { usePanel } from '../base/context';

interface Draft {
  readonly name: string;
  readonly note: string;
}

interface Props {
  readonly apiKey: ApiKey;
  readonly onDone: () => void;
}

/** Escape leaves only these fields, and the details too if the menu of the key opened them. */
export function RenameForm({ apiKey, onDone }: Props) {
  const texts = useTexts();
  const { details } = texts;
  const [before] = useState<Draft>({ name: apiKey.name, note: apiKey.note ?? '' });
  const [draft, setDraft] = useState(before);
  const { ref: form, errors, setErrors } = useFieldErrors();
  const { client } = usePanel();
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: (changes: RenameKeyRequest) => client.renameKey(apiKey.id, changes),
    onSuccess: async (renamed) => {
      showCurrent(queryClient, [renamed]);
      onDone();
      await refreshKeys(queryClient);
    },
    onError: (error) => setErrors(fieldErrorsOf(error, texts)),
  });

  useEffect(() => {
    focusField(form.current, 'name');
    form.current?.querySelector('input')?.select();
  }, []);

  const save = (event: FormEvent) => {
    event.preventDefault();
    const found = textProblems(draft, texts);
    setErrors(found);
    if (Object.keys(found).length > 0 || rename.isPending) return;
    // Only what was changed here, because another tab may have changed the other one.
    const changes = {
      ...(draft.name !== before.name && { name: draft.name }),
      ...(draft.note !== before.note && { note: draft.note }),
    };
    if (Object.keys(changes).length > 0) rename.mutate(changes);
    else onDone();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    event.stopPropagation();
    onDone();
  };
  const field = (name: keyof Draft) => ({
    name,
    value: draft[name],
    error: errors[name],
    onChange: (event: FormEvent<HTMLInputElement>) =>
      setDraft({ ...draft, [name]: oneLine(event.currentTarget.value) }),
    autoComplete: 'off',
  });
  const isElsewhere = rename.isError && Object.keys(fieldErrorsOf(rename.error, texts)).length === 0;
  return (
    <form ref={form} onSubmit={save} onKeyDown={leave} noValidate aria-label={details.edit}>
      <Stack gap="sm">
        <TextInput {...field('name')} label={details.name} data-autofocus />
        <TextInput {...field('note')} label={details.note} description={details.noteHint} />
        {isElsewhere && <FailureAlert error={rename.error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={rename.isPending}>
            {details.save}
          </Button>
          <Button size="xs" variant="default" onClick={onDone}>
            {texts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
