import { useTexts } from '../texts';
import { NewTabLink } from './links';

interface Props {
  /** Undefined if there is no such page. */
  readonly url: string | undefined;
  /** Default: that it is about help. */
  readonly label?: string;
}

export function HelpLink({ url, label }: Props) {
  const { help } = useTexts();
  return url !== undefined && <NewTabLink href={url}>{label ?? help}</NewTabLink>;
}
