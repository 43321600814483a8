import { type FormEvent, useState } from 'react';
import { hasCode } from '../api/problem';
import { useOwner } from '../base/context';
import { useTexts } from '../texts';
import { type FieldErrors, fieldErrorsOf, useFieldErrors } from './fields';
import type { Making } from './useNewKey';

type Send = (proof: { readonly password?: string }) => Promise<unknown>;

/**
 * A form that is confirmed like one that makes a key, and makes none.
 * @param problems the errors in the fields that the screen can find
 * @param send throws what refuses the confirmation
 */
export function useConfirmedForm(problems: FieldErrors, send: Send) {
  const texts = useTexts();
  const owner = useOwner();
  const asksPassword = owner.data?.confirmation !== 'fresh-sign-in';
  const [password, setPassword] = useState('');
  const { ref, errors, setErrors } = useFieldErrors();
  const [making, setMaking] = useState<Making>({ phase: 'idle' });
  const isBusy = making.phase !== 'idle' && making.phase !== 'refused';

  const attempt = async () => {
    setMaking({ phase: 'sending' });
    try {
      await send(asksPassword ? { password } : {});
      setMaking({ phase: 'idle' });
    } catch (error) {
      // The account has a password now, or passwords are no longer accepted.
      if (hasCode(error, 'invalid_fields')) void owner.refetch();
      // Otherwise another try takes one click.
      if (hasCode(error, 'incorrect_password')) setPassword('');
      setErrors(fieldErrorsOf(error, texts));
      setMaking({ phase: 'refused', error });
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const isMissing = asksPassword && password === '';
    const found = { ...problems, ...(isMissing && { password: texts.create.required.password }) };
    setErrors(found);
    if (Object.keys(found).length === 0) void attempt();
  };

  const onPhase = (phase: 'sending' | 'retrying' | 'confirming') => setMaking({ phase });
  return { ref, making, isBusy, onPhase, asksPassword, password, setPassword, errors, submit };
}
