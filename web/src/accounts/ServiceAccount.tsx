import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Box, Button, Group } from '@mantine/core';
import { hasCode } from '../api/problem';
import { ListSkeleton } from '../ui/Nothing';
import { nameOf, PanelContext, useAccounts, useOwner, usePanel } from '../base/context';
import { createQueryClient } from '../api/retry';
import { type GoTo, START } from '../base/place';
import { TextsContext, useTexts, withTexts } from '../texts';
import { FailureAlert, Notice } from '../ui/Notice';

interface Props {
  readonly id: string;
  /** Called with the account's name, if it was known, when the person does not manage it, or not any more. */
  readonly onLost: (name: string) => void;
  /** Mounted again for each account. */
  readonly children: ReactNode;
}

/**
 * Everything within is about the keys of a service account: the calls, the places, the texts. The cache is the
 * account's own, so that nothing of one account is ever shown for another.
 */
export function ServiceAccount({ id, onLost, children }: Props) {
  const texts = useTexts();
  const panel = usePanel();
  const { data: owner } = useOwner();
  const accounts = useAccounts();
  const [queryClient] = useState(createQueryClient);
  const found = accounts.data?.find((one) => one.kind === 'service' && one.id === id);
  // Kept when it is lost, for a dialog that is still open.
  const known = useRef(found);
  if (found) known.current = found;
  const account = known.current;

  const lose = () => {
    const isOwn = accounts.data?.some((one) => one.kind === 'person' && one.id === id);
    if (!isOwn) onLost(account ? nameOf(account) : '');
    panel.goTo(START, { replace: true });
  };
  const onRefused = (error: unknown) => {
    if (!hasCode(error, 'account_not_found', 'account_not_active')) return;
    if (error.code === 'account_not_found') lose();
    void accounts.refetch();
  };
  const latest = useRef(onRefused);
  latest.current = onRefused;
  const isLost = accounts.isSuccess && !accounts.isFetching && !found;
  useEffect(() => {
    if (isLost) lose();
  }, [isLost]);

  const client = useMemo(() => panel.client.forAccount(id, (error) => latest.current(error)), [panel.client, id]);
  const value = useMemo(() => {
    const goTo: GoTo = (place, options) => panel.goTo({ account: id, ...place }, options);
    return { ...panel, client, account, goTo, owner: owner ?? panel.owner };
  }, [panel, client, account, id, owner]);
  // Some texts must not say "you".
  const words = useMemo(() => withTexts(texts, texts.accounts.instead), [texts]);

  if (!account) {
    if (!accounts.isError) return <ListSkeleton />;
    const { error, isFetching, refetch } = accounts;
    return <FailureAlert error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
  }
  const stopped = account.status === 'active' ? undefined : texts.accounts.stopped[account.status];
  return (
    <QueryClientProvider client={queryClient}>
      <PanelContext value={value}>
        <TextsContext value={words}>
          {stopped && (
            <Box mb="md">
              <Notice tone="warning" title={stopped.title(nameOf(account))} isNews={false}>
                {stopped.text}
              </Notice>
            </Box>
          )}
          {children}
        </TextsContext>
      </PanelContext>
    </QueryClientProvider>
  );
}

interface LostAccountProps {
  /** The name of the account, or empty if it is not known. Undefined: nothing to report. */
  readonly lost: string | undefined;
  readonly onClose: () => void;
}

/** Explains why the person sees their own keys instead of those of a service account. */
export function LostAccount({ lost, onClose }: LostAccountProps) {
  const texts = useTexts();
  const { focusHeading } = usePanel();
  const words = texts.accounts.lost;
  if (lost === undefined) return null;
  const close = () => {
    onClose();
    focusHeading();
  };
  return (
    <Box mb="md">
      <Notice tone="warning" title={lost === '' ? words.titleUnknown : words.title(lost)}>
        {words.text}
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={close}>
            {texts.close}
          </Button>
        </Group>
      </Notice>
    </Box>
  );
}
