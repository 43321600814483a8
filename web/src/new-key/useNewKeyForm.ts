import { type FormEvent, useEffect, useState } from 'react';
import { hasCode } from '../api/problem';
import { useOwner, usePanel } from '../base/context';
import { useTexts } from '../texts';
import { type FieldErrors, fieldErrorsOf, useFieldErrors } from './fields';
import type { Typed } from '../base/trip';
import type { NewKey, NewKeyOrder } from './useNewKey';

interface Options {
  readonly newKey: NewKey;
  readonly typed: Typed;
  /** The errors in the fields that the screen can find. */
  readonly problems: FieldErrors;
  readonly orderOf: (proof: { readonly password?: string }) => NewKeyOrder;
}

export type NewKeyForm = ReturnType<typeof useNewKeyForm>;

/** Checks and sends a form that makes a key, and moves the focus to the first wrong field. */
export function useNewKeyForm({ newKey, typed, problems, orderOf }: Options) {
  const { making, isBusy, make, makeAgain, series } = newKey;
  const texts = useTexts();
  const { account, trip } = usePanel();
  const asksPassword = useOwner().data?.confirmation !== 'fresh-sign-in';
  const [password, setPassword] = useState('');
  const { ref, errors, setErrors } = useFieldErrors();
  /** Whether the screen itself found them. The service's errors stay until the next try. */
  const [areOwn, setAreOwn] = useState(false);

  // Kept for a person who leaves to sign in.
  useEffect(() => trip?.remember({ account: account?.id, typed, series: series.current }));

  // Only an incorrect password is removed. Otherwise another try takes one click.
  const refusal = making.phase === 'refused' ? making.error : undefined;
  useEffect(() => {
    if (refusal === undefined) return;
    setErrors(fieldErrorsOf(refusal, texts));
    setAreOwn(false);
    if (hasCode(refusal, 'incorrect_password')) setPassword('');
  }, [refusal]);

  const order = () => orderOf(asksPassword ? { password } : {});

  const isMissing = asksPassword && password === '';
  const found: FieldErrors = { ...problems, ...(isMissing && { password: texts.create.required.password }) };
  // The fields behind the sentence keep theirs, because an error there keeps its field open.
  const isMended = (field: string) =>
    areOwn && (field === 'name' || field === 'password') && found[field] === undefined;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setErrors(found);
    setAreOwn(true);
    if (Object.keys(found).length === 0) void make(order());
  };

  const again = () => {
    if (making.phase === 'lost') void makeAgain(order(), making);
  };

  return {
    ref,
    making,
    isBusy,
    asksPassword,
    password,
    setPassword,
    errors: Object.fromEntries(Object.entries(errors).filter(([field]) => !isMended(field))) as FieldErrors,
    submit,
    again,
  };
}
