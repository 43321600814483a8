import { Text } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './rotate.module.css';
import type { Step } from './useRotation';

/** Screen readers announce each change, since the title of the dialog stays the same. */
export function StepHeading({ step }: { readonly step: Step }) {
  const { steps, step: label } = useTexts().rotate;
  return (
    <div className={classes.heading}>
      <span className={classes.bar} aria-hidden="true">
        {steps.map((name, index) => (
          <span key={name} data-reached={index < step || undefined} />
        ))}
      </span>
      <Text size="sm" fw={600} role="status">
        {label(step, steps.length, steps[step - 1] ?? '')}
      </Text>
    </div>
  );
}
