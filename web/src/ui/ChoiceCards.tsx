import { Text } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './ChoiceCards.module.css';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** The note on the group says why. */
  readonly isDisabled?: boolean;
}

interface Props<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** A note on the whole group. */
  readonly note?: string | false;
  readonly error?: string | undefined;
  /** Gets the focus when its dialog opens. */
  readonly isFirst?: boolean;
  readonly children?: ReactNode;
}

/** The browser's own radio buttons, which work with the keyboard, made to look like cards. */
export function ChoiceCards<T extends string>(props: Props<T>) {
  const { name, label, choices, value, onChange, note, error, isFirst = false, children } = props;
  const id = useId();
  const describedBy = [note && `${id}note`, error && `${id}error`].filter(Boolean).join(' ');
  return (
    <fieldset className={classes.group} aria-describedby={describedBy || undefined}>
      <legend className={classes.legend}>{label}</legend>
      <div className={classes.choices} data-columns={choices.length === 2 ? 2 : choices.length % 3 === 1 ? 4 : 3}>
        {choices.map((choice) => (
          <label key={choice.value} className={classes.choice}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={value === choice.value}
              disabled={choice.isDisabled}
              onChange={() => onChange(choice.value)}
              data-autofocus={(isFirst && value === choice.value) || undefined}
            />
            <span className={classes.label}>{choice.label}</span>
          </label>
        ))}
      </div>
      {error && (
        <Text id={`${id}error`} size="sm" c="var(--mantine-color-error)" mt="xs" lh={1.4}>
          {error}
        </Text>
      )}
      {children}
      {note && (
        <Text id={`${id}note`} size={choices.length === 2 ? 'xs' : 'sm'} c="dimmed" mt="xs" lh={1.4}>
          {note}
        </Text>
      )}
    </fieldset>
  );
}
