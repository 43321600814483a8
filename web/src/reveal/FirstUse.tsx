import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isTransient } from '../api/problem';
import type { ApiKey, KeyHistory } from '../api/types';
import { isAccepted, whyDenied } from '../history/usage';
import { LIST, oneKey } from '../key/list';
import { usePanel } from '../base/context';
import { useTexts, type Texts } from '../texts';
import { CheckIcon } from '../ui/icons';
import classes from './reveal.module.css';

const POLL_MS = 3000;
const LONGEST_MS = 10 * 60_000;

/**
 * Shows the first request with a new key. Reads the key every few seconds while the tab is visible, until an accepted
 * request is counted, for at most ten minutes. The first use of a replacement is known before it is counted with its
 * address.
 */
export function FirstUse({ keyId }: { readonly keyId: string }) {
  const texts = useTexts();
  const queryClient = useQueryClient();
  const { client } = usePanel();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LONGEST_MS);
    return () => clearTimeout(timer);
  }, []);

  const [isCounted, setCounted] = useState(false);
  const { data, error } = useQuery({
    queryKey: oneKey(keyId),
    queryFn: () => client.getKey(keyId),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.error && !isTransient(state.error) ? false : POLL_MS),
    enabled: !isCounted && !isLate,
  });
  const phase = data && phaseOf(data);
  const hasCount = data?.days.some(({ granted }) => granted > 0);
  useEffect(() => {
    if (hasCount) setCounted(true);
    // The list behind the dialog shows it, too.
    if (phase) void queryClient.invalidateQueries({ queryKey: LIST });
  }, [phase, hasCount, queryClient]);

  const isOver = isLate || (error !== null && !isTransient(error));
  return (
    <div role="status" className={classes.first} data-phase={phase} data-over={isOver || undefined}>
      {phase === 'accepted' ? <CheckIcon /> : <span className={classes.dot} />}
      <span>{isOver && phase !== 'accepted' ? texts.reveal.first.over : sentence(phase, data, texts)}</span>
    </div>
  );
}

function phaseOf({ lastUsedAt, days, uses }: ApiKey & KeyHistory): 'accepted' | 'rejected' | undefined {
  if (lastUsedAt !== null || uses.some(isAccepted)) return 'accepted';
  return days.some(({ refused }) => refused > 0) ? 'rejected' : undefined;
}

type Phase = ReturnType<typeof phaseOf>;

function sentence(phase: Phase, key: (ApiKey & KeyHistory) | undefined, { reveal, history }: Texts): string {
  const { first } = reveal;
  if (phase === undefined || !key) return first.waiting;
  if (phase === 'rejected') {
    const { denied } = history;
    const denial = key.uses.find(({ lastDenial }) => lastDenial)?.lastDenial;
    return first.rejected(denial ? whyDenied(denial, denied, key.permissions) : denied.other);
  }
  const use = key.uses.find(isAccepted);
  if (!use) return first.accepted;
  return use.service === null ? first.acceptedFrom(use.clientIp) : first.acceptedVia(use.clientIp, use.service);
}
