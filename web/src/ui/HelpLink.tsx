import { VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './HelpLink.module.css';

interface Props {
  /** The address where people get help; undefined if there is none. */
  readonly url: string | undefined;
}

/** Opens a new tab, so that nothing typed or shown here is lost. */
export function HelpLink({ url }: Props) {
  const texts = useTexts();
  if (url === undefined) return null;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={classes.link}>
      {texts.help} <VisuallyHidden component="span">{texts.newTab}</VisuallyHidden>
    </a>
  );
}
