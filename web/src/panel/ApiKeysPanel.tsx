import '../styles';
import { TextsContext, type Texts } from '../texts';
import { english } from '../texts/english/english';
import { PanelProviders } from './PanelProviders';
import { Panel, type PanelProps } from './Panel';

export interface ApiKeysPanelProps extends PanelProps {
  /** Used without a MantineProvider. Default: the system's, if the page's `color-scheme` allows both. */
  readonly colorScheme?: 'light' | 'dark' | 'auto';
  /** Every text of the panel, for another language. Default: English. */
  readonly texts?: Texts;
}

/** Personal API keys: list, create, rotate, revoke, and their activity. */
export function ApiKeysPanel({ colorScheme = 'auto', texts = english, ...panel }: ApiKeysPanelProps) {
  return (
    <PanelProviders colorScheme={colorScheme}>
      <TextsContext value={texts}>
        <Panel {...panel} />
      </TextsContext>
    </PanelProviders>
  );
}
