import { Group, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { permissionsToGive } from '../../../src/domain/accounts/permission';
import type { KeyDraft } from '../base/trip';
import { daysOf } from '../new-key/expiry';
import { usePermissions } from '../key/useKey';
import type { FieldErrors } from '../new-key/fields';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { fewRights, inTableOrder } from '../restrictions/picker-rows';
import { focusField } from '../ui/focus';
import { ChevronIcon } from '../ui/icons';
import { once } from '../ui/buttons';
import classes from './create.module.css';
import { networksIn } from './form';

/** The field that gets the focus when a part opens. */
const FIRST_FIELD = { rights: 'access', expiry: 'preset', networks: 'networks', note: 'note' } as const;
type Part = keyof typeof FIRST_FIELD;

interface Word {
  readonly part: Part;
  /** What a screen reader says before the word. */
  readonly field?: string;
  readonly word: string;
  readonly hasError: boolean;
}

interface Props {
  readonly draft: KeyDraft;
  readonly maxKeyDays: number;
  readonly errors: FieldErrors;
  readonly fields: Readonly<Record<Part, ReactNode>>;
}

/**
 * What the key may do, as a sentence. Its words open the fields that they stand for, and so does an error there. The
 * permissions of an earlier key are open from the start, because the owner may have lost some of them.
 */
export function Terms({ draft, maxKeyDays, errors, fields }: Props) {
  const texts = useTexts();
  const { create, restrictions } = texts;
  const { sentence } = create;
  const id = useId();
  const [opened, setOpened] = useState<readonly Part[]>(draft.permissions.scope === 'only' ? ['rights'] : []);
  const days = daysOf(draft.expiry, useNow(), maxKeyDays);
  const { scope, chosen } = draft.permissions;
  const owned = usePermissions().data?.items;
  const toGive = owned && permissionsToGive(draft.access, owned);
  const isEmpty = toGive?.length === 0;
  const parts: readonly Word[] = [
    {
      part: 'rights',
      field: create.access,
      word:
        scope === 'all'
          ? sentence.all[draft.access]
          : (toGive && fewRights(inTableOrder(chosen, toGive), texts)) || sentence.only(chosen.length),
      hasError: (errors.access ?? errors.permissions) !== undefined,
    },
    {
      part: 'expiry',
      field: create.expiry,
      word: days === undefined ? sentence.noDay : sentence.lasting(create.days(days)),
      hasError: errors.expiry !== undefined,
    },
    {
      part: 'networks',
      field: restrictions.allowedNetworks,
      word: sentence.from(networksIn(draft.networks).length),
      hasError: errors.networks !== undefined,
    },
    {
      part: 'note',
      word: draft.note.trim() === '' ? sentence.withoutNote : sentence.withNote,
      hasError: errors.note !== undefined,
    },
  ];
  const isOpen = ({ part, hasError }: Word) => hasError || opened.includes(part);
  // The fields that a word opens may be out of sight.
  const wanted = useRef<Part>(undefined);
  useEffect(() => {
    const part = wanted.current;
    wanted.current = undefined;
    if (part) focusField(document.getElementById(`${id}-${part}`), FIRST_FIELD[part]);
  });
  const toggle = (part: Part) => {
    const isOpening = !opened.includes(part);
    if (isOpening) wanted.current = part;
    setOpened((before) => [...before.filter((each) => each !== part), ...(isOpening ? [part] : [])]);
  };
  const button = (each: Word) => (
    <UnstyledButton
      key={each.part}
      className={each.field ? classes.word : classes.note}
      aria-label={each.field && sentence.change(each.field, each.word)}
      aria-expanded={isOpen(each)}
      aria-controls={`${id}-${each.part}`}
      onClick={once(() => toggle(each.part))}
    >
      {each.word}
      {each.field && <ChevronIcon />}
    </UnstyledButton>
  );
  return (
    <>
      <div>
        <Group gap={6}>
          {sentence.start}
          {parts.filter(({ field }) => field).map(button)}
        </Group>
        {parts.filter(({ field }) => !field).map(button)}
        <Text role="status" c="var(--latchkey-warning)" mt={isEmpty ? 'xs' : 0}>
          {isEmpty && restrictions.none}
        </Text>
      </div>
      {parts.map((each) => (
        <div key={each.part} id={`${id}-${each.part}`} hidden={!isOpen(each)} className={classes.part}>
          {isOpen(each) && fields[each.part]}
        </div>
      ))}
    </>
  );
}
