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
