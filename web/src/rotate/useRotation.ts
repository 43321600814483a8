import { useState } from 'react';
import type { ApiKey, CreatedKey } from '../api/types';
import { twinOf, type KeyDraft } from '../create/form';
import { useCreateKey } from '../create/useCreateKey';
import { usePanel } from '../panel/context';
import { useSecret } from '../reveal/useSecret';
import { useRevokeKey } from '../revoke/useRevokeKey';
import { useTexts } from '../texts';

export type Rotation = ReturnType<typeof useRotation>;
export type Step = 1 | 2 | 3;

/** The person's step in a rotation. It is not stored: the two keys in the list show how far the rotation went. */
export function useRotation(old: ApiKey, onClose: () => void) {
  const texts = useTexts();
  const { announce } = usePanel();
  const [step, setStep] = useState<Step>(1);
  const [twin, setTwin] = useState<ApiKey>();
  const [edited, setEdited] = useState<{ readonly of: string; readonly draft: KeyDraft }>();

  const finish = () => {
    secret.forget();
    creating.reset();
    revoking.reset();
    setStep(1);
    setTwin(undefined);
    setEdited(undefined);
    onClose();
  };
  const secret = useSecret(() => {
    announce(texts.reveal.left);
    finish();
  });
  const show = (created: CreatedKey) => {
    secret.show(created);
    setTwin(created.apiKey);
  };
  const creating = useCreateKey(show, () => {
    finish();
    announce(texts.create.somebodyElse);
  });
  const revoking = useRevokeKey(() => {
    finish();
    announce(texts.rotate.done(old.name));
  });

  /** The person has stored the secret: from now on only the new key's name and prefix are known. */
  const goOn = () => {
    secret.forget();
    setStep(2);
  };
  const close = () => {
    if (creating.isBusy) creating.giveUp();
    else if (!revoking.isPending) secret.requestClose(finish);
  };

  const draft = edited?.of === old.id ? edited.draft : twinOf(old);
  const setDraft = (changed: KeyDraft) => setEdited({ of: old.id, draft: changed });
  return { step, setStep, twin, draft, setDraft, secret, creating, revoking, goOn, close, finish };
}
