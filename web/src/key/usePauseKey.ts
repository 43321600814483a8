import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { relativeTime } from '../time/format';
import { serviceTime } from '../time/useNow';
import { describeFailure } from '../ui/Notice';
import { refreshKeys, showCurrent } from './list';

/** In minutes. The form that revokes a key offers the second one. */
export const PAUSES = [5, 60, 1440] as const;

/**
 * Pauses a key, and says when it works again. Resolves with whether it is paused.
 * @param send pauses it, and shows it
 */
export function usePause(send: (key: ApiKey, minutes: number) => Promise<ApiKey>) {
  const texts = useTexts();
  const { announce } = usePanel();
  return async (key: ApiKey, minutes: number): Promise<boolean> => {
    try {
      const { pausedUntil } = await send(key, minutes);
      announce(texts.pause.done(key.name, relativeTime(pausedUntil!, serviceTime(), texts)));
      return true;
    } catch (error) {
      announce(describeFailure(error, texts));
      return false;
    }
  };
}

export function usePauseKey() {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  return usePause(async ({ id }, minutes) => {
    try {
      const paused = await client.pauseKey(id, minutes);
      showCurrent(queryClient, [paused]);
      return paused;
    } finally {
      void refreshKeys(queryClient);
    }
  });
}
