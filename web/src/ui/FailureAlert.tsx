import { Button, Group } from '@mantine/core';
import { useContext } from 'react';
import { PanelContext } from '../base/context';
import { useTexts } from '../texts';
import { describeFailure } from './describe-failure';
import { HelpLink } from './HelpLink';
import { Notice } from './Notice';

interface Props {
  readonly title?: string;
  readonly error: unknown;
  readonly detail?: string;
  readonly isRetrying?: boolean;
  readonly onRetry?: () => void;
  /** The address where people get help. Default: the panel's. */
  readonly helpUrl?: string | undefined;
}

export function FailureAlert({ title, error, detail, isRetrying = false, onRetry, ...given }: Props) {
  const texts = useTexts();
  const panel = useContext(PanelContext);
  const helpUrl = given.helpUrl ?? panel?.helpUrl;
  return (
    <Notice tone="danger" title={title}>
      {describeFailure(error, texts)} {detail}
      {(onRetry || helpUrl !== undefined) && (
        <Group mt="sm">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry} loading={isRetrying}>
              {texts.tryAgain}
            </Button>
          )}
          <HelpLink url={helpUrl} />
        </Group>
      )}
    </Notice>
  );
}
