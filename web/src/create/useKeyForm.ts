import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiProblem } from '../api/problem';
import { usePanel } from '../panel/context';
import { useOwner } from '../panel/useOwner';
import type { CreateKeyRequest } from '../api/types';
import { useTexts } from '../texts';
import { checkDraft, daysOf, FIELDS, type FieldErrors, type KeyDraft } from './form';
import { fieldErrorsOf } from './refusal-fields';
import type { useCreateKey } from './useCreateKey';

/** Checks and sends the form, and moves the focus to the first wrong field. */
export function useKeyForm(
  draft: KeyDraft,
  { creation, create, createAgain, series }: ReturnType<typeof useCreateKey>,
) {
  const texts = useTexts();
  const { confirmation, trip } = usePanel();
  const asksPassword = (useOwner().data?.confirmation ?? confirmation) === 'password';
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<FieldErrors>({});
  const ref = useRef<HTMLFormElement>(null);

  // A person who leaves to sign in comes back to it.
  useEffect(() => trip?.remember({ draft, series: series.current }), [trip, draft, series, creation]);

  // A refused password is removed. Without an answer it stays, so that another try takes one click.
  const refusal = creation.phase === 'refused' ? creation.error : undefined;
  useEffect(() => {
    if (refusal === undefined) return;
    setErrors(fieldErrorsOf(refusal, texts));
    if (refusal instanceof ApiProblem) setPassword('');
  }, [refusal]);

  useEffect(() => {
    const first = FIELDS.find((field) => errors[field] !== undefined);
    if (first)
      ref.current?.querySelector<HTMLElement>(`input[name="${first}"]:is(:checked, :not([type="radio"]))`)?.focus();
  }, [errors]);

  const request = (): CreateKeyRequest => ({
    name: draft.name,
    access: draft.access,
    expiresInDays: daysOf(draft.days) ?? 0,
    ...(asksPassword && { password }),
  });

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const found = checkDraft(draft, asksPassword ? password : undefined, texts);
    setErrors(found);
    if (Object.keys(found).length === 0) void create(request());
  };

  const again = () => {
    if (creation.phase === 'lost') void createAgain(request(), creation);
  };

  return {
    ref,
    asksPassword,
    password,
    setPassword,
    errors,
    submit: submit as (event?: unknown) => void,
    createAgain: again,
  };
}
