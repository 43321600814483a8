import { Button } from '@mantine/core';
import type { Ref } from 'react';
import type { ApiKey } from '../api/types';
import { resumeTexts } from '../key/resume-texts';
import { pauseOf } from '../key/status';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { once } from '../ui/buttons';

interface Props {
  readonly ref?: Ref<HTMLButtonElement>;
  /** An active one. */
  readonly apiKey: ApiKey;
  /** Unset where the key is only resumed. */
  readonly onPause: ((minutes: number) => void) | false;
  readonly onResume: () => void;
}

/** One button pauses and resumes, so that it keeps the focus. */
export function PauseButton({ ref, apiKey, onPause, onResume }: Props) {
  const { language, pause } = useTexts();
  const isPaused = pauseOf(apiKey, useNow()) !== undefined;
  const label = isPaused ? resumeTexts(language)?.action : onPause && pause.first;
  if (!label) return null;
  return (
    <Button ref={ref} variant="default" onClick={once(() => (isPaused ? onResume() : onPause && onPause(60)))}>
      {label}
    </Button>
  );
}
