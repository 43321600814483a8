import { NativeSelect, type NativeSelectProps } from '@mantine/core';

const arrow = (
  <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="var(--mantine-color-dimmed)" strokeWidth="1.5">
    <path d="m4 6 4 4 4-4" />
  </svg>
);

/** The browser's own select element, which works with keyboards, screen readers and phones. */
export const Select = (props: NativeSelectProps) => <NativeSelect {...props} rightSection={arrow} />;
