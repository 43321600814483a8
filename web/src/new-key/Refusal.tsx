import { type ReactNode, useEffect, useRef } from 'react';
import { Button, Group } from '@mantine/core';
import { ApiProblem, hasCode } from '../api/problem';
import { NotSignedInAgain } from './useFreshSignIn';
import { limitText } from '../key/limits';
import { useApiKeys } from '../key/list';
import { usePanel } from '../base/context';
import type { PlatformTrip } from '../base/trip';
import { type Texts, useTexts } from '../texts';
import { duration } from '../time/format';
import { FailureAlert, Notice } from '../ui/Notice';
import { HelpLink } from '../ui/links';
import { fieldErrorsOf } from './fields';
import type { Making } from './useNewKey';

/** Whether what is below the form says already that the person has to sign in again, or how they did. */
export function saysSignIn(making: Making, trip: PlatformTrip | undefined): boolean {
  if (making.phase !== 'refused') return making.phase === 'confirming' || trip?.confirmation !== undefined;
  return hasCode(making.error, 'confirmation_required') || making.error instanceof NotSignedInAgain;
}

/** Shows a refusal that does not belong to a field. The form's own button is how people try again. */
export function Refusal({ making }: { readonly making: Making }) {
  const texts = useTexts();
  const { policy } = useApiKeys();
  const place = useRef<HTMLDivElement>(null);
  const notice =
    making.phase === 'refused' ? noticeOf(making.error, limitText(policy, 'maxActiveKeys', texts), texts) : null;
  // The buttons are always in sight, the end of the form is not.
  // Newer browsers return a promise, which is no clean-up.
  useEffect(() => void place.current?.scrollIntoView({ block: 'nearest' }), [making]);
  return notice && <div ref={place}>{notice}</div>;
}

function noticeOf(error: unknown, limit: string, texts: Texts): ReactNode {
  if (Object.keys(fieldErrorsOf(error, texts)).length > 0) return null;
  if (hasCode(error, 'too_many_active_keys')) {
    return <Warning>{`${limit} ${texts.keys.limits.revoke}`}</Warning>;
  }
  if (hasCode(error, 'too_many_changes')) {
    const wait = duration(error.retryAfterSeconds ?? 3600, texts.language);
    return <Warning>{texts.create.tooManyChanges(wait)}</Warning>;
  }
  if (hasCode(error, 'keys_not_allowed')) return <Warning>{texts.keys.limits.noNewKeys}</Warning>;
  if (hasCode(error, 'rotation_pending')) return <Warning>{texts.rotate.pending}</Warning>;
  if (hasCode(error, 'api_key_paused')) return <Warning>{texts.rotate.paused}</Warning>;
  if (hasCode(error, 'api_key_not_active', 'not_found')) return <Warning>{texts.failure.ended}</Warning>;
  if (hasCode(error, 'confirmation_required')) return <StepUp />;
  if (error instanceof NotSignedInAgain) return <Warning>{texts.create.notSignedIn}</Warning>;
  if (error instanceof ApiProblem) return <FailureAlert error={error} />;
  return <FailureAlert error={error} detail={texts.create.unanswered} />;
}

function Warning({ children }: { readonly children: string }) {
  const { helpUrl } = usePanel();
  return (
    <Notice tone="warning">
      {children} <HelpLink url={helpUrl} />
    </Notice>
  );
}

/** The result of the sign-in that the person comes back from. */
export function SignInResult({ submitLabel }: { readonly submitLabel: string }) {
  const { stepUp } = useTexts().session;
  const { trip } = usePanel();
  if (!trip?.confirmation) return null;
  if (trip.confirmation === 'confirmed') return <Notice tone="success">{stepUp.confirmed(submitLabel)}</Notice>;
  return <SignIn trip={trip} text={stepUp[trip.confirmation]} />;
}

/**
 * The person has to sign in again before the key is made, by leaving for the platform's login and coming back. In
 * another frontend they have just signed in, and it was not enough.
 */
function StepUp() {
  const { confirmation, notFresh } = useTexts().create;
  const { trip } = usePanel();
  if (!trip) return <Warning>{notFresh}</Warning>;
  return (
    <SignIn trip={trip} title={confirmation.title} text={trip.returned ? confirmation.again : confirmation.text} />
  );
}

interface SignInProps {
  readonly trip: PlatformTrip;
  readonly title?: string;
  readonly text: string;
}

function SignIn({ trip, title, text }: SignInProps) {
  const { create } = useTexts();
  const { helpUrl } = usePanel();
  return (
    <Notice tone="warning" title={title}>
      {text}
      <Group mt="sm">
        <Button size="xs" onClick={trip.leave}>
          {create.confirmation.submit}
        </Button>
        <HelpLink url={helpUrl} />
      </Group>
    </Notice>
  );
}
