import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { hasCode } from '../api/problem';
import { SomebodyElse, useFreshSignIn } from './useFreshSignIn';
import { withRetries } from '../api/retry';
import type { CreatedKey } from '../api/types';
import { refreshKeys } from '../key/list';
import { OWNER, usePanel } from '../base/context';
import { PERMISSIONS } from '../key/useKey';
import type { Series } from '../base/trip';

/** A request for a key: an additional one, or one that replaces another. */
export interface NewKeyOrder {
  readonly name: string;
  readonly send: (idempotencyKey: string, token: string | undefined) => Promise<CreatedKey>;
}

/** An earlier attempt created the key, but the answer with its secret was lost. */
export interface Lost {
  readonly phase: 'lost';
  readonly apiKeyId: string;
  readonly name: string;
  /** Why it could not be revoked. */
  readonly error?: unknown;
  readonly isReplacing?: boolean;
}

export type Making =
  | { readonly phase: 'idle' | 'sending' | 'retrying' | 'confirming' }
  | { readonly phase: 'refused'; readonly error: unknown }
  | Lost;

export type NewKey = ReturnType<typeof useNewKey>;

/**
 * Not a mutation of TanStack Query, whose cache would keep the secret and the password.
 *
 * All attempts share an Idempotency-Key until one has certainly succeeded. So at most one key is made, even if the
 * network fails repeatedly or the person corrects the form between two attempts.
 *
 * @param onSomebodyElse called if another person has signed in, so that the form is dropped
 * @param begun the attempts from before the person left to sign in
 */
export function useNewKey(onMade: (created: CreatedKey) => void, onSomebodyElse: () => void, begun?: Series) {
  const { client, startAgain, trip } = usePanel();
  const queryClient = useQueryClient();
  const [making, setMaking] = useState<Making>({ phase: 'idle' });
  const series = useRef(begun);
  // React's state changes only with the next render, so two clicks in one frame would both start an attempt.
  const underWay = useRef(false);
  const { confirmed, giveUp } = useFreshSignIn((isWaiting) =>
    setMaking({ phase: isWaiting ? 'confirming' : 'sending' }),
  );

  const once = async (work: () => Promise<Making>) => {
    if (underWay.current) return;
    underWay.current = true;
    const outcome = await work().finally(() => (underWay.current = false));
    setMaking(outcome);
    // The list may have changed in any case. But a person who refused to sign in again is not asked a second time.
    if (outcome.phase !== 'refused' || !hasCode(outcome.error, 'unauthenticated')) void refreshKeys(queryClient);
  };

  const send = async (order: NewKeyOrder, onRetry?: () => void): Promise<Making> => {
    const { key, name } = (series.current ??= { key: newIdempotencyKey(), name: order.name });
    try {
      const created = await confirmed((token) => withRetries(() => order.send(key, token), onRetry));
      series.current = undefined;
      trip?.forget();
      onMade(created);
      return { phase: 'idle' };
    } catch (error) {
      if (error instanceof SomebodyElse || hasCode(error, 'another_person')) return drop();
      // The account has a password now, or passwords are no longer accepted. Or the permissions have changed.
      if (hasCode(error, 'invalid_fields')) {
        void queryClient.invalidateQueries({ queryKey: OWNER });
        void queryClient.invalidateQueries({ queryKey: PERMISSIONS });
      }
      const lostId = hasCode(error, 'idempotency_key_reused') ? error.apiKeyId : undefined;
      return lostId === undefined ? { phase: 'refused', error } : { phase: 'lost', apiKeyId: lostId, name };
    }
  };

  const drop = (): Making => {
    series.current = undefined;
    onSomebodyElse();
    startAgain();
    return { phase: 'idle' };
  };

  const make = (order: NewKeyOrder) =>
    once(() => {
      setMaking({ phase: 'sending' });
      return send(order, () => setMaking({ phase: 'retrying' }));
    });

  const makeAgain = (order: NewKeyOrder, lost: Lost) =>
    once(async () => {
      setMaking({ ...lost, isReplacing: true });
      try {
        await withRetries(() => client.revokeKey(lost.apiKeyId));
      } catch (error) {
        // The key has ended in the meantime, which is as good as revoked.
        if (!hasCode(error, 'api_key_not_active', 'not_found'))
          return { phase: 'lost', apiKeyId: lost.apiKeyId, name: lost.name, error };
      }
      series.current = undefined;
      return send(order);
    });

  /** The dialog was closed. A key whose secret was lost stays as it is, and the next attempt makes another key. */
  const reset = () => {
    if (making.phase === 'lost') series.current = undefined;
    trip?.forget();
    setMaking({ phase: 'idle' });
  };

  return { making, isBusy: isBusyWith(making), make, makeAgain, giveUp, reset, series };
}

export const isBusyWith = (making: Making): boolean =>
  making.phase === 'lost' ? making.isReplacing === true : ['sending', 'retrying', 'confirming'].includes(making.phase);

/** `crypto.randomUUID` is missing on a page that is served over plain http from another machine. */
function newIdempotencyKey(): string {
  const { randomUUID } = crypto as Partial<Crypto>;
  if (randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
