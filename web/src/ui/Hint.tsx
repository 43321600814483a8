import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

interface Props {
  readonly label: string;
  /** One element that can have the focus. */
  readonly children: ReactElement;
}

/** For mouse, keyboard and touch alike; where it belongs in the page, so that it is part of a landmark. */
export function Hint({ label, children }: Props) {
  return (
    <Tooltip
      label={label}
      events={{ hover: true, focus: true, touch: true }}
      withArrow
      withinPortal={false}
      multiline
      maw={360}
    >
      {children}
    </Tooltip>
  );
}
