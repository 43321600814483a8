import { Drawer } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../texts';
import dialog from './Dialog.module.css';
import classes from './SidePanel.module.css';
import { once } from './buttons';
import surface from './surface.module.css';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  /** The id of the content. When it changes in an open panel, the focus moves to the title. */
  readonly subject: string | undefined;
  /** Next to the title. */
  readonly action?: ReactNode;
  /** In place of the title and what is next to it. */
  readonly form?: ReactNode;
  readonly footer?: ReactNode;
  /** Whether there is something typed in it: neither Escape nor a click outside closes it. */
  readonly isEdited?: boolean;
  readonly onClose: () => void;
  /** Called when it has left the screen, which is the moment to move the focus. */
  readonly onClosed: () => void;
  readonly children: ReactNode;
}

/** A dialog at the edge of the screen, next to the list. */
export function SidePanel({ title, subject, action, form, footer, isEdited = false, onClosed, ...drawer }: Props) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(subject);
  useEffect(() => {
    if (shown.current !== undefined && subject !== undefined && shown.current !== subject) heading.current?.focus();
    shown.current = subject;
  }, [subject]);
  return (
    <Drawer.Root
      {...drawer}
      onExitTransitionEnd={onClosed}
      closeOnEscape={!isEdited}
      closeOnClickOutside={false}
      returnFocus={false}
      lockScroll={false}
      transitionProps={{ duration: 120 }}
      position="right"
      size={520}
      padding="lg"
      lang={texts.language}
      className={`${dialog.root} ${dialog.side} ${surface.surface}`}
      classNames={{ content: dialog.content }}
    >
      <Drawer.Overlay className={dialog.overlay} onClick={once(() => !isEdited && drawer.onClose())} />
      <Drawer.Content>
        <div className={classes.panel}>
          <div className={classes.scroll}>
            <div className={dialog.header}>
              <div className={classes.heading}>
                <Drawer.Title
                  ref={heading}
                  tabIndex={-1}
                  className={form ? classes.replaced : dialog.title}
                  data-autofocus={!isEdited || undefined}
                >
                  <bdi>{title}</bdi>
                </Drawer.Title>
                {form ?? action}
              </div>
              <Drawer.CloseButton aria-label={texts.close} />
            </div>
            <Drawer.Body>{drawer.children}</Drawer.Body>
          </div>
          {footer && <div className={classes.footer}>{footer}</div>}
        </div>
      </Drawer.Content>
    </Drawer.Root>
  );
}
