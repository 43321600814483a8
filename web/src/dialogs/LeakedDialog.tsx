import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useRef } from 'react';
import type { ApiKey } from '../api/types';
import { newDraft, requestOf } from '../create/form';
import type { ActionDialogProps } from '../key/actions';
import { useApiKeys } from '../key/list';
import { useKey } from '../key/useKey';
import { isAccepted } from '../history/usage';
import { LastWeek } from '../history/LastWeek';
import { lifetimeDays } from '../key/status';
import { NewKeyDialog } from '../new-key/NewKeyDialog';
import { NewKeyFrame } from '../new-key/NewKeyFrame';
import type { NewKey } from '../new-key/useNewKey';
import { useNewKeyForm } from '../new-key/useConfirmedForm';
import { usePanel, useReturned } from '../base/context';
import type { StatusFilter } from '../base/place';
import { KeyFacts } from '../key/KeyFacts';
import { fewWords } from '../key/limits';
import { Notice } from '../ui/Notice';
import { useTexts } from '../texts';
import { serviceTime } from '../time/useNow';
import surface from '../ui/surface.module.css';

interface Props extends ActionDialogProps {
  readonly status: StatusFilter;
  readonly onOnlyRevoke: () => void;
}

/** Replaces a leaked key: the old one ends at once, and a new one is made with the same choices. */
export function LeakedDialog({ apiKey, status, onOnlyRevoke, ...dialog }: Props) {
  const { leaked } = useTexts().rotate;
  const { goTo } = usePanel();
  const isLeaving = useRef(false);
  // One dialog after the other.
  const onClosed = (madeKeyId?: string) => {
    dialog.onClosed(madeKeyId);
    if (isLeaving.current) goTo({ tab: 'keys', status, keyId: apiKey.id });
  };
  return (
    <NewKeyDialog
      form="leaked"
      title={leaked.title(apiKey.name)}
      {...dialog}
      onClosed={onClosed}
      advice={leaked.advice}
      news={leaked.done(apiKey.name)}
    >
      {(newKey, close) => (
        <LeakedForm
          leakedKey={apiKey}
          newKey={newKey}
          onCancel={close}
          onOnlyRevoke={onOnlyRevoke}
          onSeeUsage={() => {
            isLeaving.current = true;
            close();
          }}
        />
      )}
    </NewKeyDialog>
  );
}

interface FormProps {
  readonly leakedKey: ApiKey;
  readonly newKey: NewKey;
  readonly onCancel: () => void;
  readonly onOnlyRevoke: () => void;
  readonly onSeeUsage: () => void;
}

function LeakedForm({ leakedKey, newKey, onCancel, onOnlyRevoke, onSeeUsage }: FormProps) {
  const texts = useTexts();
  const { rotate, restrictions } = texts;
  const { leaked } = rotate;
  const { client } = usePanel();
  const found = useKey(leakedKey.id);
  const { key: current, isLoading } = found;
  const uses = isLoading && leakedKey.lastUsedAt !== null ? 'loading' : (current?.uses?.filter(isAccepted) ?? []);
  const { policy } = useApiKeys();
  const expiresInDays = lifetimeDays(leakedKey, policy);
  const words = fewWords(leakedKey, texts);
  const typed = useReturned()?.typed;
  const hasEnded = useRef(typed?.form === 'leaked' && typed.hasEnded);
  hasEnded.current ||= newKey.making.phase === 'lost';
  const form = useNewKeyForm({
    newKey,
    typed: { form: 'leaked', replaced: leakedKey, hasEnded: hasEnded.current },
    problems: {},
    orderOf: (proof) => ({
      name: leakedKey.name,
      send: (key, token) =>
        hasEnded.current
          ? client.createKey({ ...requestOf(newDraft(policy, leakedKey), policy, proof), expiresInDays }, key, token)
          : client.rotateKey(leakedKey.id, { leaked: true, graceSeconds: 0, expiresInDays, ...proof }, key, token),
    }),
  });
  return (
    <NewKeyFrame form={form} lostWords={leaked.lost} submitLabel={leaked.submit} isDangerous onCancel={onCancel}>
      <Text size="sm">
        {leaked.intro} {words.length > 0 && restrictions.same(words.join('; '))}
      </Text>
      <KeyFacts apiKey={current ?? leakedKey} uses={uses} isWarning={false}>
        <LastWeek
          found={found}
          end={serviceTime()}
          link={(label) => (
            <UnstyledButton className={surface.link} onClick={onSeeUsage} disabled={newKey.isBusy}>
              {label}
            </UnstyledButton>
          )}
        />
      </KeyFacts>
      <Group gap="xs">
        <Text size="sm">{leaked.needsNone}</Text>
        <Button variant="default" size="xs" onClick={onOnlyRevoke} disabled={newKey.isBusy}>
          {leaked.onlyRevoke}
        </Button>
      </Group>
      {form.errors.permissions && <Notice tone="warning">{form.errors.permissions}</Notice>}
    </NewKeyFrame>
  );
}
