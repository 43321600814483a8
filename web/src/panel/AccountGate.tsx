import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasCode } from '../api/problem';
import { useTexts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { Notice } from '../ui/Notice';
import { usePanel } from '../base/context';
import { useOwner } from '../base/owner';

/** The service does not know a person of the platform until the platform opens an account for them. */
export function AccountGate({ children }: { readonly children: ReactNode }) {
  const texts = useTexts();
  const owner = useOwner();
  const { helpUrl } = usePanel();
  const queryClient = useQueryClient();
  if (!hasCode(owner.error, 'no_account')) return children;
  return (
    <Notice tone="warning" title={texts.noAccount.title}>
      <Text size="sm" mb="sm">
        {texts.noAccount.text}
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={() => void queryClient.resetQueries()}>
          {texts.tryAgain}
        </Button>
        <HelpLink url={helpUrl} />
      </Group>
    </Notice>
  );
}
