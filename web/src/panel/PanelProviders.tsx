import { MantineContext, MantineProvider, type MantineColorScheme } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useContext, useState, type ReactNode } from 'react';
import { retryTransient } from '../api/retry';
import { cssVariables, theme } from '../theme';

interface Props {
  readonly colorScheme: MantineColorScheme;
  readonly children: ReactNode;
}

/** Uses the host's theme where it has Mantine, or else our own. The cache is always ours, so that no host stores it. */
export function PanelProviders({ colorScheme, children }: Props) {
  const [queryClient] = useState(createQueryClient);
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

/** The system's, if the page says that it can be both: a page that says nothing stays light. */
function schemeOfPage(): MantineColorScheme {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content;
  const said = `${getComputedStyle(document.documentElement).colorScheme} ${meta}`;
  if (!said.includes('dark')) return 'light';
  return said.includes('light') ? 'auto' : 'dark';
}

/** Being offline is an error to show, not a reason to wait in silence. */
function createQueryClient(): QueryClient {
  const common = { networkMode: 'always', retry: retryTransient } as const;
  return new QueryClient({
    defaultOptions: { queries: { ...common, staleTime: 10_000, refetchOnWindowFocus: 'always' }, mutations: common },
  });
}

/** The server writes a nonce into each answer; where it does not, none is needed. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}
