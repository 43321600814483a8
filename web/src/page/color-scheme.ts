import { localStorageColorSchemeManager } from '@mantine/core';

/** The only thing this page stores for longer than a sign-in: whether it is light or dark. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'latchkey-color-scheme' });

/** Runs before anything is painted; React starts a moment later. */
export function applyColorScheme(): void {
  const wanted = colorSchemeManager.get('auto');
  const isDark = wanted === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : wanted === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
}
