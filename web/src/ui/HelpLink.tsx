import { VisuallyHidden } from '@mantine/core';
import { useTexts } from '../texts';
import surface from './surface.module.css';

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
    <a href={url} target="_blank" rel="noopener noreferrer" className={surface.link}>
      {label ?? texts.help} <VisuallyHidden component="span">{texts.newTab}</VisuallyHidden>
    </a>
  );
}
