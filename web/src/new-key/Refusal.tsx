import { NotSignedInAgain } from '../api/fresh-sign-in';
import { ApiProblem, hasCode } from '../api/problem';
import { useTexts } from '../texts';
import { duration } from '../time/format';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { fieldErrorsOf } from './refusal-fields';
import { StepUp } from './StepUp';
import type { Making } from './useNewKey';

interface Props {
  readonly making: Making;
  readonly onRetry: () => void;
}

/** Shows a refusal that does not belong to a field. */
export function Refusal({ making, onRetry }: Props) {
  const texts = useTexts();
  if (making.phase !== 'refused') return null;
  const { error } = making;
  if (Object.keys(fieldErrorsOf(error, texts)).length > 0) return null;
  if (hasCode(error, 'too_many_active_keys')) {
    return <Notice tone="warning">{texts.create.limit}</Notice>;
  }
  if (hasCode(error, 'too_many_changes')) {
    const wait = duration(error.retryAfterSeconds ?? 3600, texts.language);
    return <Notice tone="warning">{texts.create.tooManyChanges(wait)}</Notice>;
  }
  if (hasCode(error, 'rotation_pending')) return <Notice tone="warning">{texts.rotate.pending}</Notice>;
  if (hasCode(error, 'api_key_not_active', 'not_found')) return <Notice tone="warning">{texts.rotate.ended}</Notice>;
  if (hasCode(error, 'confirmation_required')) return <StepUp />;
  if (error instanceof NotSignedInAgain) return <Notice tone="warning">{texts.create.notSignedIn}</Notice>;
  if (error instanceof ApiProblem) return <FailureAlert error={error} />;
  return <FailureAlert error={error} detail={texts.create.unanswered} onRetry={onRetry} />;
}
