import { MantineContext, MantineProvider, type MantineColorScheme } from '@mantine/core';
import { QueryClientProvider, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { useContext, useState, type ReactNode } from 'react';
import { takeBegunBody } from '../api/begun';
import { createQueryClient } from '../api/retry';
import type { ApiKeyPage } from '../api/types';
import { LIST } from '../key/list';
import { cssVariables, theme } from '../theme';
import { learnTime } from '../time/useNow';

interface Props {
  readonly colorScheme: MantineColorScheme;
  readonly children: ReactNode;
}

/** Uses the host's Mantine theme, or else our own. The cache is always our own, so that no host stores it. */
export function PanelProviders({ colorScheme, children }: Props) {
  const [queryClient] = useState(firstQueryClient);
  const [ofPage] = useState(schemeOfPage);
  const scheme = colorScheme === 'auto' ? ofPage : colorScheme;
  const isThemed = useContext(MantineContext) !== null;
  const content = <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
  if (isThemed) return content;
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme={scheme}
      {...(scheme !== 'auto' && { forceColorScheme: scheme })}
      getStyleNonce={styleNonce}
    >
      {content}
    </MantineProvider>
  );
}

/** The system's scheme if the page supports both. A page without `color-scheme` stays light. */
function schemeOfPage(): MantineColorScheme {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content;
  const said = `${getComputedStyle(document.documentElement).colorScheme} ${meta}`;
  if (!said.includes('dark')) return 'light';
  return said.includes('light') ? 'auto' : 'dark';
}

function firstQueryClient(): QueryClient {
  const client = createQueryClient();
  // Not `initialData`, which a reset would show again.
  const first = takeBegunBody<ApiKeyPage>('/v1/api-keys');
  learnTime(first?.now);
  if (first) client.setQueryData<InfiniteData<ApiKeyPage>>(LIST, { pages: [first], pageParams: [undefined] });
  return client;
}

/** The nonce that the server writes into each answer, if the page needs one. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}
