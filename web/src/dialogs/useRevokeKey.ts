import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiClient } from '../api/client';
import { hasCode } from '../api/problem';
import type { ApiKey } from '../api/types';
import { refreshKeys, showCurrent } from '../key/list';
import { usePanel } from '../base/context';
import type { Rotation } from '../key/status';
import { useTexts, type Texts } from '../texts';

interface End {
  readonly key: ApiKey;
  readonly rotation: Rotation | undefined;
  readonly leaked?: boolean | undefined;
}

/** @param onEnded called with a message when the key has ended, now or earlier */
export function useRevokeKey(onEnded: (message: string) => void) {
  const texts = useTexts();
  const { client } = usePanel();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (end: End) => ({ end, ...(await endKey(client, end, texts)) }),
    onSuccess: ({ end, revoked, message }) => {
      // Of the two keys of a rotation, which count as one, the other one keeps working.
      if (revoked) showCurrent(queryClient, [revoked], end.rotation ? 0 : 1);
      onEnded(message);
      void refreshKeys(queryClient);
    },
  });
}

/** A key that had already ended is not an error, because the result is the same. */
async function endKey(client: ApiClient, end: End, texts: Texts) {
  const { already, gone } = texts.revoke;
  const { id, name } = end.key;
  try {
    const revoked = await client.revokeKey(id, end.leaked);
    return { revoked, message: await doneMessage(client, end, texts) };
  } catch (error) {
    if (hasCode(error, 'not_found')) return { revoked: undefined, message: gone(name) };
    if (!hasCode(error, 'api_key_not_active')) throw error;
    const words = error.apiKeyStatus === 'expired' ? already.expired : already.revoked;
    return { revoked: undefined, message: words(name) };
  }
}

/** Says that the old key keeps working only if it is active: it may have ended at the same time. */
async function doneMessage(client: ApiClient, { key, rotation }: End, { revoke, rotate }: Texts): Promise<string> {
  if (!rotation) return revoke.done(key.name);
  if (key.id === rotation.old.id) return rotate.endOld.done(key.name);
  const old = await client.getKey(rotation.old.id).catch(() => undefined);
  return old?.status === 'active' ? rotate.undo.done(key.name) : revoke.done(key.name);
}
