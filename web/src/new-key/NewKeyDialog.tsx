import { VisuallyHidden } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { CreatedKey } from '../api/types';
import { usePanel, useReturned } from '../base/context';
import type { ActionDialogProps } from '../key/actions';
import { EarlyClose, RevealKey, useSecret } from '../reveal/RevealKey';
import { useTexts } from '../texts';
import { calendarDate } from '../time/format';
import { Dialog } from '../ui/Dialog';
import type { Typed } from '../base/trip';
import { type NewKey, useNewKey } from './useNewKey';

interface Props extends Omit<ActionDialogProps, 'apiKey'> {
  readonly form: Typed['form'];
  readonly title: string;
  /** Called when a key was made, or when somebody else has signed in. */
  readonly onOver?: () => void;
  /** What to do with the new key, if the form does not say it. */
  readonly advice?: string;
  /** What else has happened when the key is there. Only screen readers need it, because the advice says it, too. */
  readonly news?: string;
  readonly children: (newKey: NewKey, close: () => void) => ReactNode;
}

/** Shows a form that makes a key, then the key, in one dialog. */
export function NewKeyDialog({ form, title, opened, onClose, onClosed, onOver, advice, news, children }: Props) {
  const { create, language, reveal } = useTexts();
  const { announce } = usePanel();
  const returned = useReturned();
  const made = useRef<string>(undefined);
  const secret = useSecret(() => {
    announce(reveal.left);
    onClose();
  });
  const show = (created: CreatedKey) => {
    made.current = created.apiKey.id;
    secret.show(created);
    onOver?.();
  };
  const drop = () => {
    onOver?.();
    announce(create.somebodyElse);
    onClose();
  };
  const newKey = useNewKey(show, drop, returned?.typed.form === form ? returned.series : undefined);

  const finish = () => {
    secret.forget();
    newKey.reset();
    onClose();
  };
  // The dialog stays open during a creation, since the answer may contain the secret. But it can be closed while it waits
  // for a sign-in.
  const close = () => (newKey.isBusy ? newKey.giveUp() : secret.requestClose(finish));
  const closed = () => {
    onClosed(made.current);
    made.current = undefined;
  };

  const { created, isAsking } = secret;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      closeOnClickOutside={!created}
      onClosed={closed}
      size="lg"
      {...(created && !isAsking && { aside: create.expiresOn(calendarDate(created.apiKey.expiresAt, language)) })}
      title={isAsking ? reveal.early.title : created ? reveal.title(created.apiKey.name) : title}
    >
      {news !== undefined && <VisuallyHidden role="status">{created && news}</VisuallyHidden>}
      {!created && children(newKey, close)}
      {created && !isAsking && <RevealKey created={created} secret={secret} advice={advice} onDone={close} />}
      {isAsking && <EarlyClose onStay={secret.stay} onLeave={finish} />}
    </Dialog>
  );
}
