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

/** Pauses a key, and says when it works again. Resolves with whether it is paused. */
export function usePauseKey() {
  const texts = useTexts();
  const { client, announce } = usePanel();
  const queryClient = useQueryClient();
  return async (key: ApiKey, minutes: number): Promise<boolean> => {
    try {
      const paused = await client.pauseKey(key.id, minutes);
      showCurrent(queryClient, [paused]);
      announce(texts.pause.done(key.name, relativeTime(paused.pausedUntil!, serviceTime(), texts)));
      return true;
    } catch (error) {
      announce(describeFailure(error, texts));
      return false;
    } finally {
      void refreshKeys(queryClient);
    }
  };
}
