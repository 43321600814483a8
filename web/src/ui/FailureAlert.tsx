import { Button, Group } from '@mantine/core';
import { useTexts } from '../texts';
import { describeFailure } from './describe-failure';
import { Notice } from './Notice';

interface Props {
  readonly title?: string;
  readonly error: unknown;
  readonly detail?: string;
  readonly isRetrying?: boolean;
  readonly onRetry?: () => void;
}

export function FailureAlert({ title, error, detail, isRetrying = false, onRetry }: Props) {
  const texts = useTexts();
  return (
    <Notice tone="danger" title={title}>
      {describeFailure(error, texts)} {detail}
      {onRetry && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry} loading={isRetrying}>
            {texts.tryAgain}
          </Button>
        </Group>
      )}
    </Notice>
  );
}
