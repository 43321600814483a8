import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { relativeTime } from '../time/format';
import { refreshKeys, showCurrent } from './list';

/** In minutes. The form that revokes a key offers the second one. */
export const PAUSES = [5, 60, 1440] as const;

/** Pauses a key, and says when it works again. Resolves with whether it is paused. */
export function usePauseKey() {
  const texts = useTexts();
  const { client, announce } = usePanel();
  const queryClient = useQueryClient();
  return async (key: ApiKey, minutes: number): Promise<boolean> => {
    const paused = await client.pauseKey(key.id, minutes).catch(() => undefined);
    const until = paused?.pausedUntil;
    if (paused) showCurrent(queryClient, [paused]);
    void refreshKeys(queryClient);
    const { done, failed } = texts.pause;
    announce(until ? done(key.name, relativeTime(until, Date.now(), texts)) : failed(key.name));
    return Boolean(until);
  };
}
