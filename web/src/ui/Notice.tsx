import { Button, Group } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { AlertIcon, CheckIcon } from './icons';
import classes from './Notice.module.css';
import { PanelContext } from '../base/context';
import { type Texts, useTexts } from '../texts';
import { HelpLink } from './links';
import { ApiProblem, NoAnswer } from '../api/problem';
import { duration } from '../time/format';

interface Props {
  readonly tone: 'danger' | 'warning' | 'success';
  readonly title?: string | undefined;
  /** Screen readers announce it at once. Unset for a notice that is shown from the beginning. */
  readonly isNews?: boolean;
  readonly children: ReactNode;
}

/** The text is not coloured, so that it keeps its contrast. */
export function Notice({ tone, title, isNews = true, children }: Props) {
  const isGood = tone === 'success';
  return (
    <div className={classes.notice} role={isNews ? (isGood ? 'status' : 'alert') : 'note'} data-tone={tone}>
      {isGood ? <CheckIcon /> : <AlertIcon />}
      <div>
        {title && <strong>{title}</strong>}
        <div>{children}</div>
      </div>
    </div>
  );
}

interface FailureProps {
  readonly title?: string;
  readonly error: unknown;
  readonly detail?: string;
  readonly isRetrying?: boolean;
  readonly onRetry?: () => void;
  /** The address where people get help. Default: the panel's. */
  readonly helpUrl?: string | undefined;
}

export function FailureAlert({ title, error, detail, isRetrying = false, onRetry, ...given }: FailureProps) {
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

export function describeFailure(error: unknown, { failure, language }: Texts): string {
  if (error instanceof NoAnswer) return navigator.onLine ? failure.noAnswer : failure.offline;
  if (!(error instanceof ApiProblem)) return failure.unexpected(error instanceof Error ? error.message : String(error));
  if (error.code === 'unauthenticated') return failure.signedOut;
  if (error.code === 'another_person') return failure.anotherPerson;
  if (error.code === 'no_account') return failure.noAccount;
  if (error.code === 'account_not_found') return failure.notManaged;
  if (error.code === 'account_not_active') return failure.notActive;
  if (error.code === 'api_key_not_active') return failure.ended;
  if (error.status === 429) return failure.wait(duration(error.retryAfterSeconds ?? 60, language));
  if (error.status >= 502 && error.status <= 504) return failure.unavailable;
  return failure.unexpected(error.message);
}
