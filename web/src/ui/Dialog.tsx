import { Modal } from '@mantine/core';
import { type ReactNode, useContext, useEffect } from 'react';
import { PanelContext } from '../base/context';
import { useTexts } from '../texts';
import classes from './Dialog.module.css';
import { once } from './buttons';
import surface from './surface.module.css';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  /** Next to the title. */
  readonly aside?: string;
  readonly onClose: () => void;
  /** Called when the dialog has left the screen, which is the moment to move the focus. */
  readonly onClosed?: () => void;
  readonly size?: string;
  /** Whether a click outside of the dialog closes it. */
  readonly closeOnClickOutside?: boolean;
  /** Above the other dialogs. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

const GROW = {
  in: { opacity: 1, transform: 'none' },
  out: { opacity: 0, transform: 'scale(0.98)' },
  transitionProperty: 'opacity, transform',
};

export function DialogFooter({ children }: { readonly children: ReactNode }) {
  return <div className={classes.footer}>{children}</div>;
}

/** `onClosed` moves the focus back, because the opener (a menu item or a row) may have been removed. */
export function Dialog({ title, aside, onClosed, size = 'md', isOnTop = false, children, ...given }: Props) {
  const texts = useTexts();
  const { closeOnClickOutside = true, ...modal } = given;
  const announce = useContext(PanelContext)?.announce;
  // It is about what was done before, perhaps with the same key.
  useEffect(() => {
    if (modal.opened) announce?.();
  }, [modal.opened, announce]);
  return (
    <Modal.Root
      {...modal}
      closeOnClickOutside={false}
      onExitTransitionEnd={() => onClosed?.()}
      returnFocus={onClosed === undefined}
      // Our stylesheet stops the page from scrolling (Dialog.module.css), because the library would write a style tag.
      lockScroll={false}
      transitionProps={{ duration: 150, timingFunction: 'ease-out', transition: GROW }}
      size={size}
      zIndex={isOnTop ? 300 : 200}
      padding="lg"
      lang={texts.language}
      className={`${classes.root} ${surface.surface}`}
      classNames={{ content: classes.content }}
    >
      <Modal.Overlay className={classes.overlay} onClick={once(() => closeOnClickOutside && modal.onClose())} />
      <Modal.Content>
        {/* The library's own header would be a second banner of the page. */}
        <div className={classes.header}>
          <div className={classes.heading}>
            <Modal.Title className={classes.title}>{title}</Modal.Title>
            {aside && <span className={classes.aside}>{aside}</span>}
          </div>
          <Modal.CloseButton aria-label={texts.close} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
