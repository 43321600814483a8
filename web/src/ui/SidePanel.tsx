import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts';
import classes from './Dialog.module.css';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** Called when it has left the screen, which is the moment to move the focus. */
  readonly onClosed: () => void;
  readonly children: ReactNode;
}

/** Like a dialog, at the edge of the screen: the list stays in view beside it. */
export function SidePanel({ opened, title, onClose, onClosed, children }: Props) {
  const texts = useTexts();
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      returnFocus={false}
      lockScroll={false}
      transitionProps={{ duration: 120 }}
      position="right"
      size="md"
      padding="lg"
      lang={texts.language}
      className={classes.root}
    >
      <Drawer.Overlay backgroundOpacity={0.3} />
      <Drawer.Content>
        <div className={classes.header}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={texts.close} />
        </div>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
