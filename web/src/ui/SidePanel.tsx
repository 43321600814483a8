import { Drawer } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../texts';
import classes from './Dialog.module.css';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  /** The id of the content. When it changes in an open panel, the focus moves to the title. */
  readonly subject: string | undefined;
  readonly onClose: () => void;
  /** Called when it has left the screen, which is the moment to move the focus. */
  readonly onClosed: () => void;
  readonly children: ReactNode;
}

/** A dialog at the edge of the screen, next to the list. */
export function SidePanel({ opened, title, subject, onClose, onClosed, children }: Props) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(subject);
  useEffect(() => {
    if (shown.current !== undefined && subject !== undefined && shown.current !== subject) heading.current?.focus();
    shown.current = subject;
  }, [subject]);
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
          <Drawer.Title ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label={texts.close} />
        </div>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
