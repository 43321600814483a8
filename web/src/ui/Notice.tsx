import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { AlertIcon } from './icons';
import classes from './Notice.module.css';

interface Props {
  readonly tone: 'danger' | 'warning';
  readonly title?: string | undefined;
  /** Told at once by screen readers; unset for what stands there from the beginning. */
  readonly isNews?: boolean;
  readonly children: ReactNode;
}

/** The colour is in the edge and the icon: words keep the contrast of words. */
export function Notice({ tone, title, isNews = true, children }: Props) {
  return (
    <Alert
      variant="default"
      icon={<AlertIcon />}
      title={title}
      role={isNews ? 'alert' : 'note'}
      classNames={{ root: classes.root, icon: classes.icon, title: classes.title, message: classes.message }}
      data-tone={tone}
    >
      {children}
    </Alert>
  );
}
