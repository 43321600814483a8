import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

interface Props {
  readonly label: string;
  /** One element that can take the focus. */
  readonly children: ReactElement;
}

/** Works with mouse, keyboard and touch. It is placed next to its element, so that it is part of a landmark. */
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
