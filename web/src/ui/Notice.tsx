import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { AlertIcon, CheckIcon } from './icons';
import classes from './Notice.module.css';

interface Props {
  readonly tone: 'danger' | 'warning' | 'success';
  readonly title?: string | undefined;
  /** Screen readers announce it at once. Unset for a notice that is shown from the beginning. */
  readonly isNews?: boolean;
  readonly children: ReactNode;
}

/** The text is not coloured, so that it keeps its contrast. */
export function Notice({ tone, title, isNews = true, children }: Props) {
  return (
    <Alert
      variant="default"
      icon={tone === 'success' ? <CheckIcon /> : <AlertIcon />}
      title={title}
      role={roleOf(tone, isNews)}
      classNames={{ root: classes.root, icon: classes.icon, title: classes.title, message: classes.message }}
      data-tone={tone}
    >
      {children}
    </Alert>
  );
}

function roleOf(tone: Props['tone'], isNews: boolean): string {
  if (!isNews) return 'note';
  return tone === 'success' ? 'status' : 'alert';
}
