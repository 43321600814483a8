import '../styles';
import type { MantineColorScheme } from '@mantine/core';
import { PanelProviders } from './PanelProviders';
import { Panel, type PanelProps } from './Panel';

export interface ApiKeysPanelProps extends PanelProps {
  /** Used where the host has no MantineProvider. Default: the system's. */
  readonly colorScheme?: MantineColorScheme;
}

/** Personal API keys: list, create, rotate, revoke, and their activity. */
export function ApiKeysPanel({ colorScheme = 'auto', ...panel }: ApiKeysPanelProps) {
  return (
    <PanelProviders colorScheme={colorScheme}>
      <Panel {...panel} />
    </PanelProviders>
  );
}
