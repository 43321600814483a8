import type { ComponentProps } from 'react';
import classes from './Checkbox.module.css';

interface Props extends ComponentProps<'input'> {
  /** Some of what it stands for is chosen. */
  readonly isPart?: boolean;
}

/** The browser's own, with its label: hundreds of the library's take a second to appear. */
export const Checkbox = ({ isPart = false, children, ...input }: Props) => (
  <label className={classes.check}>
    <input
      type="checkbox"
      ref={(box) => {
        if (box) box.indeterminate = isPart;
      }}
      {...input}
    />
    {children}
  </label>
);
