import { useId, type ReactNode } from 'react';
import classes from './ChoiceCards.module.css';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly text?: string;
  /** Its text says why. */
  readonly isDisabled?: boolean;
}

interface Props<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** A note on the whole group. */
  readonly note?: string;
  readonly error?: string | undefined;
  /** Shows the choices in one row, without explanations. */
  readonly isCompact?: boolean;
  /** Gets the focus when its dialog opens. */
  readonly isFirst?: boolean;
  readonly children?: ReactNode;
}

/** The browser's own radio buttons, which work with the keyboard, made to look like cards. */
export function ChoiceCards<T extends string>(props: Props<T>) {
  const { name, label, choices, value, onChange, note, error, isCompact = false, isFirst = false, children } = props;
  const id = useId();
  // The keyboard can't reach a disabled choice, so the group has its text.
  const reasons = choices.map(({ value: choice, isDisabled }) => isDisabled && `${id}${choice}text`);
  const describedBy = [...reasons, note && `${id}note`, error && `${id}error`].filter(Boolean).join(' ');
  return (
    <fieldset className={classes.group} aria-describedby={describedBy || undefined}>
      <legend className={classes.legend}>{label}</legend>
      <div
        className={classes.choices}
        data-compact={isCompact || undefined}
        data-four={choices.length % 3 === 1 || undefined}
      >
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
              aria-labelledby={`${id}${choice.value}`}
              aria-describedby={choice.text && `${id}${choice.value}text`}
            />
            <span id={`${id}${choice.value}`} className={classes.label}>
              {choice.label}
            </span>
            {choice.text && (
              <span id={`${id}${choice.value}text`} className={classes.text}>
                {choice.text}
              </span>
            )}
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}error`} className={classes.error}>
          {error}
        </p>
      )}
      {children}
      {note && (
        <p id={`${id}note`} className={classes.note}>
          {note}
        </p>
      )}
    </fieldset>
  );
}
