import { Button, Text, UnstyledButton } from '@mantine/core';
import { Fragment, type ReactNode, useId, useState } from 'react';
import { permissionsToGive } from '../../../src/domain/accounts/permission';
import type { KeyDraft } from '../base/trip';
import { daysOf } from '../new-key/expiry';
import { byResource, meaningOf } from '../key/limits';
import { usePermissions } from '../key/useKey';
import type { FieldErrors } from '../new-key/fields';
import { type Texts, useTexts } from '../texts';
import { wordList } from '../time/format';
import { useNow } from '../time/useNow';
import { ChevronIcon } from '../ui/icons';
import classes from './create.module.css';
import { networksIn } from './form';

type Part = 'rights' | 'expiry' | 'networks' | 'note';

interface Word {
  readonly part: Part;
  /** What a screen reader says before the word. */
  readonly field: string;
  readonly word: string;
  /** What follows in the sentence. */
  readonly end: string;
  readonly hasError: boolean;
}

interface Props {
  readonly draft: KeyDraft;
  readonly maxKeyDays: number;
  readonly errors: FieldErrors;
  readonly fields: Readonly<Record<Part, ReactNode>>;
}

/**
 * What the key may do, as a sentence. Its bold words open the fields that they stand for, and so does an error there. The
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
  const isEmpty = owned && permissionsToGive(draft.access, owned).length === 0;
  const parts: readonly Word[] = [
    {
      part: 'rights',
      field: create.access,
      end: ',',
      word: scope === 'all' ? sentence.all[draft.access] : fewRights(chosen, texts) || sentence.only(chosen.length),
      hasError: (errors.access ?? errors.permissions) !== undefined,
    },
    {
      part: 'expiry',
      field: create.expiry,
      end: ',',
      word: days === undefined ? sentence.noDay : sentence.lasting(create.days(days)),
      hasError: errors.expiry !== undefined,
    },
    {
      part: 'networks',
      field: restrictions.allowedNetworks,
      end: '.',
      word: sentence.from(networksIn(draft.networks).length),
      hasError: errors.networks !== undefined,
    },
  ];
  const isOpen = (part: Part, hasError: boolean) => hasError || opened.includes(part);
  const toggle = (part: Part) =>
    setOpened((before) => (before.includes(part) ? before.filter((each) => each !== part) : [...before, part]));
  const chevron = (
    <span className={classes.chevron}>
      <ChevronIcon />
    </span>
  );
  const control = (part: Part, hasError: boolean) => ({
    'aria-expanded': isOpen(part, hasError),
    'aria-controls': `${id}-${part}`,
    onClick: () => toggle(part),
  });
  const field = (part: Part, hasError: boolean) => (
    <div key={part} id={`${id}-${part}`} hidden={!isOpen(part, hasError)} className={classes.part}>
      {isOpen(part, hasError) && fields[part]}
    </div>
  );
  const hasNoteError = errors.note !== undefined;
  return (
    <>
      <div>
        <p className={classes.sentence}>
          {sentence.start}
          {parts.map(({ part, field: name, word, hasError, end }) => (
            <Fragment key={part}>
              {' '}
              <span className={classes.piece}>
                <UnstyledButton
                  className={classes.word}
                  aria-label={sentence.change(name, word)}
                  {...control(part, hasError)}
                >
                  {word}
                  {chevron}
                </UnstyledButton>
                {end}
              </span>
            </Fragment>
          ))}
        </p>
        <Text role="status" c="var(--latchkey-warning)" mt={isEmpty ? 'xs' : 0}>
          {isEmpty && restrictions.none}
        </Text>
      </div>
      {parts.map(({ part, hasError }) => field(part, hasError))}
      <Button
        variant="subtle"
        color="gray"
        c="dimmed"
        size="compact-sm"
        className={classes.note}
        rightSection={chevron}
        {...control('note', hasNoteError)}
      >
        {draft.note.trim() === '' ? sentence.withoutNote : sentence.withNote}
      </Button>
      {field('note', hasNoteError)}
    </>
  );
}

/** The most letters for which the sentence has room. */
const MAX_LETTERS = 40;

/** Some permissions in words, such as "read and write systems". Empty where there are none, or too many. */
function fewRights(permissions: readonly string[], texts: Texts): string {
  const resourcesOf = new Map<string, string[]>();
  for (const [resource, actions] of byResource(permissions)) {
    const same = actions.toSorted().join(' ');
    resourcesOf.set(same, [...(resourcesOf.get(same) ?? []), resource]);
  }
  const parts = [...resourcesOf].map(([same, resources]) => meaningOf(resources, same.split(' '), texts));
  const words = wordList(parts, texts.language);
  return words.length > MAX_LETTERS ? '' : words;
}
