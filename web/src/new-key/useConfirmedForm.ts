import { type FormEvent, type RefObject, useEffect, useState } from 'react';
import { hasCode } from '../api/problem';
import { useOwner, usePanel } from '../base/context';
import type { Series, Typed } from '../base/trip';
import { useTexts } from '../texts';
import { type FieldErrors, fieldErrorsOf, useFieldErrors } from './fields';
import { isBusyWith, type Making, type NewKey, type NewKeyOrder } from './useNewKey';

interface Proof {
  readonly password?: string;
}

interface Options {
  readonly making: Making;
  readonly typed: Typed;
  readonly series?: RefObject<Series | undefined>;
  /** The errors in the fields that the screen can find. */
  readonly problems: FieldErrors;
  readonly send: (proof: Proof) => Promise<void>;
}

/** The password of a form that is confirmed, and its errors. The focus moves to the first wrong field. */
function useProof({ making, typed, series, problems, send }: Options) {
  const texts = useTexts();
  const { account, trip } = usePanel();
  const asksPassword = useOwner().data?.confirmation !== 'fresh-sign-in';
  const [password, setPassword] = useState('');
  const { ref, errors, setErrors } = useFieldErrors();
  /** Whether the screen itself found the errors. The service's stay until the next try. */
  const [areOwn, setAreOwn] = useState(false);
  const isBusy = isBusyWith(making);

  // Kept for a person who leaves to sign in.
  useEffect(() => trip?.remember({ account: account?.id, typed, series: series?.current }));

  // Only an incorrect password is removed. Otherwise another try takes one click.
  const refusal = making.phase === 'refused' ? making.error : undefined;
  useEffect(() => {
    if (refusal === undefined) return;
    setErrors(fieldErrorsOf(refusal, texts));
    setAreOwn(false);
    if (hasCode(refusal, 'incorrect_password')) setPassword('');
  }, [refusal]);

  const proof: Proof = asksPassword ? { password } : {};
  const isMissing = asksPassword && password === '';
  const found: FieldErrors = { ...problems, ...(isMissing && { password: texts.create.required.password }) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setErrors(found);
    setAreOwn(true);
    if (Object.keys(found).length === 0) void send(proof);
  };
  const isMended = (field: keyof FieldErrors) => areOwn && found[field] === undefined;
  return { ref, making, isBusy, asksPassword, password, setPassword, errors, isMended, submit, proof };
}

/**
 * A form that is confirmed like one that makes a key, and makes none.
 * @param problems the errors in the fields that the screen can find
 * @param send throws what refuses the confirmation
 */
export function useConfirmedForm(typed: Typed, problems: FieldErrors, send: (proof: Proof) => Promise<unknown>) {
  const { trip } = usePanel();
  const owner = useOwner();
  const [making, setMaking] = useState<Making>({ phase: 'idle' });
  useEffect(() => () => trip?.forget(), [trip]);

  const attempt = async (proof: Proof) => {
    setMaking({ phase: 'sending' });
    try {
      await send(proof);
      setMaking({ phase: 'idle' });
    } catch (error) {
      // The account has a password now, or passwords are no longer accepted.
      if (hasCode(error, 'invalid_fields')) void owner.refetch();
      setMaking({ phase: 'refused', error });
    }
  };
  const onPhase = (phase: 'sending' | 'retrying' | 'confirming') => setMaking({ phase });
  return { ...useProof({ making, typed, problems, send: attempt }), onPhase };
}

interface NewKeyOptions extends Pick<Options, 'typed' | 'problems'> {
  readonly newKey: NewKey;
  readonly orderOf: (proof: Proof) => NewKeyOrder;
}

export type NewKeyForm = ReturnType<typeof useNewKeyForm>;

export function useNewKeyForm({ newKey: { making, make, makeAgain, series }, orderOf, ...given }: NewKeyOptions) {
  const form = useProof({ ...given, making, series, send: (proof) => make(orderOf(proof)) });
  const { name, password, ...errors } = form.errors;
  const again = () => {
    if (making.phase === 'lost') void makeAgain(orderOf(form.proof), making);
  };
  return {
    ...form,
    // The fields behind the sentence keep their errors once they are mended, because an error there keeps its field open.
    errors: {
      ...errors,
      ...(name !== undefined && !form.isMended('name') && { name }),
      ...(password !== undefined && !form.isMended('password') && { password }),
    } as FieldErrors,
    again,
  };
}
