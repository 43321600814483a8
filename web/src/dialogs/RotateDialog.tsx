import { useState } from 'react';
import { Text } from '@mantine/core';
import type { ApiKey, KeyPolicy, Narrower, RotateKeyRequest } from '../api/types';
import type { ActionDialogProps } from '../key/actions';
import { useApiKeys } from '../key/list';
import { dateProblem, daysOf, expiryIn, expiryWithin } from '../new-key/expiry';
import { NewKeyDialog } from '../new-key/NewKeyDialog';
import { permissionUseTexts } from '../key/permission-use-texts';
import { usePanel, useReturned } from '../base/context';
import { useTexts } from '../texts';
import { type Grace, GRACE_CHOICES, type RotationDraft } from '../base/trip';
import { serviceTime } from '../time/useNow';
import { ExpiryField } from '../new-key/ExpiryField';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useConfirmedForm';
import { fewWords } from '../key/limits';
import { Limits } from '../key/KeyLimits';
import list from '../ui/list.module.css';
import { calendarDate } from '../time/format';
import { ChoiceCards } from '../ui/ChoiceCards';
import { lifetimeDays } from '../key/status';
import { DEFAULT_GRACE_SECONDS } from '../rules';

interface Props extends ActionDialogProps {
  readonly narrower: Narrower | undefined;
}

/** Created again each time it opens, so that an attempt never continues for another key. */
export function RotateDialog({ apiKey, narrower, ...dialog }: Props) {
  const { rotate } = useTexts();
  const { policy } = useApiKeys();
  const typed = useReturned()?.typed;
  const [draft, setDraft] = useState(() =>
    typed?.form === 'rotate' ? typed.draft : { ...draftFor(apiKey, policy), narrower },
  );
  return (
    <NewKeyDialog
      form="rotate"
      title={rotate.title(apiKey.name)}
      {...dialog}
      advice={`${rotate.advice} ${rotate.graceText[draft.grace]}`}
    >
      {(newKey, close) => (
        <RotateForm
          replaced={apiKey}
          draft={{ ...draft, expiry: expiryWithin(draft.expiry, policy.maxKeyDays, serviceTime()) }}
          onDraft={setDraft}
          newKey={newKey}
          onCancel={close}
        />
      )}
    </NewKeyDialog>
  );
}

interface RotateFormProps {
  readonly replaced: ApiKey;
  readonly draft: RotationDraft;
  readonly onDraft: (draft: RotationDraft) => void;
  readonly newKey: NewKey;
  readonly onCancel: () => void;
}

function RotateForm({ replaced, draft, onDraft, newKey, onCancel }: RotateFormProps) {
  const texts = useTexts();
  const { rotate } = texts;
  const { client } = usePanel();
  const { policy } = useApiKeys();
  const limits = fewWords(replaced, texts);
  const form = useNewKeyForm({
    newKey,
    typed: { form: 'rotate', draft, replaced },
    problems: dateProblem(draft.expiry, policy, texts),
    orderOf: (proof) => ({
      name: replaced.name,
      send: (key, token) => client.rotateKey(replaced.id, requestOf(draft, policy, proof), key, token),
    }),
  });
  return (
    <NewKeyFrame
      form={form}
      lostWords={rotate.lost}
      submitLabel={rotate.submit}
      stopsKey={draft.grace === '0'}
      onCancel={onCancel}
    >
      <Text size="sm">
        {draft.narrower ? permissionUseTexts(texts.language)?.rotate : rotate.intro}{' '}
        {!draft.narrower && limits.length > 0 && texts.restrictions.same(limits.join('; '))}
      </Text>
      {draft.narrower && (
        <dl className={list.facts}>
          <Limits permissions={draft.narrower.permissions} />
        </dl>
      )}
      <ChoiceCards
        name="grace"
        label={rotate.grace}
        isFirst
        choices={GRACE_CHOICES.map((choice) => ({ value: choice, label: rotate.graceChoice[choice] }))}
        value={draft.grace}
        onChange={(grace) => onDraft({ ...draft, grace })}
        note={`${rotate.graceText[draft.grace]} ${rotate.latest(calendarDate(replaced.expiresAt, texts.language))}`}
        error={form.errors.grace}
      />
      <ExpiryField
        label={rotate.expiry}
        value={draft.expiry}
        onChange={(expiry) => onDraft({ ...draft, expiry })}
        error={form.errors.expiry}
      />
    </NewKeyFrame>
  );
}

/** The lifetime of the old key in days, or as much of it as is allowed. */
function draftFor(key: ApiKey, policy: KeyPolicy): RotationDraft {
  const days = lifetimeDays(key, policy);
  return { grace: String(DEFAULT_GRACE_SECONDS) as Grace, expiry: expiryIn(days, serviceTime()) };
}

function requestOf(
  { grace, expiry, narrower }: RotationDraft,
  { maxKeyDays }: KeyPolicy,
  proof: { readonly password?: string },
): RotateKeyRequest {
  const expiresInDays = daysOf(expiry, serviceTime(), maxKeyDays) ?? 0;
  return { graceSeconds: Number(grace), expiresInDays, ...narrower, ...proof };
}
