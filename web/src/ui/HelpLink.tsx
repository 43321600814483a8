import { VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './HelpLink.module.css';

interface Props {
  /** Undefined if there is no such page. */
  readonly url: string | undefined;
  /** Default: that it is about help. */
  readonly label?: string;
}

/** Opens a new tab, so that nothing typed or shown here is lost. */
export function HelpLink({ url, label }: Props) {
  const texts = useTexts();
  if (url === undefined) return null;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={classes.link}>
      {label ?? texts.help} <VisuallyHidden component="span">{texts.newTab}</VisuallyHidden>
    </a>
  );
}
