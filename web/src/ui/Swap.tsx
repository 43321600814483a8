import classes from './Swap.module.css';

interface Props {
  readonly shown: string;
  /** Every text that may be shown. */
  readonly among: readonly string[];
}

/** Takes the space of the largest text, so that nothing moves when another one is shown: each text is its own element. */
export function Swap({ shown, among }: Props) {
  return (
    <span className={classes.swap}>
      {among.map((text) => (
        <span key={text} className={classes.size} data-text={text} aria-hidden="true" />
      ))}
      <span key={`shown: ${shown}`}>{shown}</span>
    </span>
  );
}
