import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import classes from './theme.module.css';

/** Only our own page has a font of the first name (page.css): in another frontend none is loaded. */
const FONT =
  '"Latchkey Inter", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';
const SYSTEM_MONOSPACE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Darker than the library's, so that the card and the dialog can each be lighter than what they are on. */
const DARK = [
  '#e4e7eb',
  '#a9b0ba',
  '#949ca7',
  '#7f8894',
  '#3f464f',
  '#343a42',
  '#2a2f36',
  '#15171a',
  '#111316',
  '#0c0d0f',
] as const;

/** Used if the host has no Mantine theme. Texts have 24, 16, 14 or 12 pixels, code 13, in weights of 400, 500 and 600. */
export const theme = createTheme({
  fontFamily: FONT,
  fontFamilyMonospace: SYSTEM_MONOSPACE,
  fontSizes: { lg: '1rem' },
  fontWeights: { bold: '600' },
  headings: {
    fontFamily: FONT,
    fontWeight: '600',
    sizes: { h2: { fontSize: '1.5rem' }, h3: { fontSize: '1.5rem' }, h4: { fontSize: '1rem' } },
  },
  radius: { lg: '0.75rem' },
  colors: { dark: DARK },
  primaryColor: 'indigo',
  // Shades at which white text has a contrast of at least 4.5:1, in either scheme.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Input: { classNames: { wrapper: classes.field } },
    InputWrapper: { classNames: { label: classes.label, description: classes.hint } },
    Text: { defaultProps: { size: 'sm' } },
    // Lighter than names and headings, which are read first.
    Button: { styles: { root: { fontWeight: 500 } } },
    SegmentedControl: { styles: { label: { fontWeight: 500 } } },
  },
});

/** The library's own colours for secondary text and errors have too little contrast for WCAG AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': 'var(--mantine-color-gray-9)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
