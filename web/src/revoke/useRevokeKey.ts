import { useMutation, useQueryClient } from '@tanstack/react-query';
import { hasCode } from '../api/problem';
import type { ApiKey } from '../api/types';
import { refreshKeys, showRevoked } from '../keys/useApiKeys';
import { usePanel } from '../panel/context';
import { useTexts, type Texts } from '../texts';

/** @param onEnded called with a message when the key has ended, now or earlier */
export function useRevokeKey(onEnded: (message: string) => void) {
  const { revoke } = useTexts();
  const { client } = usePanel();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: ApiKey) => endKey(client.revokeKey, key, revoke),
    onSuccess: ({ revoked, message }) => {
      if (revoked) showRevoked(queryClient, revoked);
      onEnded(message);
      void refreshKeys(queryClient);
    },
  });
}

/** A key that had already ended is no error: it is what the person wanted. */
async function endKey(revoke: (id: string) => Promise<ApiKey>, key: ApiKey, texts: Texts['revoke']) {
  const { done, already, gone } = texts;
  try {
    return { revoked: await revoke(key.id), message: done(key.name) };
  } catch (error) {
    if (hasCode(error, 'not_found')) return { revoked: undefined, message: gone(key.name) };
    if (!hasCode(error, 'api_key_not_active')) throw error;
    const words = error.apiKeyStatus === 'expired' ? already.expired : already.revoked;
    return { revoked: undefined, message: words(key.name) };
  }
}
