import { VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './HelpLink.module.css';

interface Props {
  /** Where those who run the platform help its people; undefined: nowhere. */
  readonly url: string | undefined;
}

/** In a tab of its own, so that nothing typed or shown here is lost. */
export function HelpLink({ url }: Props) {
  const texts = useTexts();
  if (url === undefined) return null;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={classes.link}>
      {texts.help} <VisuallyHidden component="span">{texts.newTab}</VisuallyHidden>
    </a>
  );
}
