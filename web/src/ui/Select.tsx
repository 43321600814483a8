import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { ChevronIcon } from './icons';
import classes from './Select.module.css';

/** The browser's own select element, which works with keyboards, screen readers and phones. */
export const Select = (props: NativeSelectProps) => (
  <NativeSelect {...props} rightSection={<ChevronIcon />} classNames={{ section: classes.arrow }} />
);
