import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import classes from './Dialog.module.css';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** After it has left the screen: the moment to put the focus somewhere. */
  readonly onClosed?: () => void;
  readonly size?: string;
  /** Above the other dialogs. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

/** Focus goes back where `onClosed` says: the opener may be a menu item that is gone, or a row that left the list. */
export function Dialog({ opened, title, onClose, onClosed, size = 'md', isOnTop = false, children }: Props) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => onClosed?.()}
      returnFocus={onClosed === undefined}
      // The page's stylesheet holds the page still (Dialog.module.css): the library would write a style tag.
      lockScroll={false}
      transitionProps={{ duration: 120, transition: 'fade' }}
      size={size}
      zIndex={isOnTop ? 300 : 200}
      padding="lg"
      className={classes.root}
    >
      <Modal.Overlay backgroundOpacity={0.5} blur={2} />
      <Modal.Content>
        {/* The library's own would be a second banner of the page. */}
        <div className={classes.header}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={texts.close} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
