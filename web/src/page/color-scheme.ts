import { localStorageColorSchemeManager } from '@mantine/core';

/** Light or dark. The page stores nothing else for longer than a sign-in. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'latchkey-color-scheme' });

/** Runs before the first paint. React starts later. */
export function applyColorScheme(): void {
  const wanted = colorSchemeManager.get('auto');
  const isDark = wanted === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : wanted === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
}
