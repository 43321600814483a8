import '../styles';
import type { MantineColorScheme } from '@mantine/core';
import { PanelProviders } from './PanelProviders';
import { Panel, type PanelProps } from './Panel';

export interface ApiKeysPanelProps extends PanelProps {
  /** Used where the host has no MantineProvider. Default: as the system has it. */
  readonly colorScheme?: MantineColorScheme;
}

/** Personal API keys: the list, create, rotate and revoke, and what happened to them. */
export function ApiKeysPanel({ colorScheme = 'auto', ...panel }: ApiKeysPanelProps) {
  return (
    <PanelProviders colorScheme={colorScheme}>
      <Panel {...panel} />
    </PanelProviders>
  );
}
