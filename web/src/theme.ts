import { Checkbox, createTheme, type CSSVariablesResolver } from '@mantine/core';

const SYSTEM_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';
const SYSTEM_MONOSPACE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Used if the host has no Mantine theme. It has the system's fonts, so that none is loaded. */
export const theme = createTheme({
  fontFamily: SYSTEM_FONT,
  fontFamilyMonospace: SYSTEM_MONOSPACE,
  headings: { fontFamily: SYSTEM_FONT, fontWeight: '650' },
  primaryColor: 'indigo',
  // Shades at which white text has a contrast of at least 4.5:1, in either scheme.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // 24 px is the smallest target that WCAG 2.2 allows.
    Checkbox: Checkbox.extend({
      defaultProps: { size: 'md' },
      styles: { label: { fontSize: 'var(--mantine-font-size-sm)' } },
    }),
  },
});

/** The library's own colours for secondary text and errors have too little contrast for WCAG AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
