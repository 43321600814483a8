import type { DayCount } from '../api/types';
import { useTexts } from '../texts';
import { dayDate, wholeNumber } from '../time/format';
import { ChevronIcon } from '../ui/icons';
import classes from './history.module.css';

/** The numbers of the chart, newest first, for people who want them or can't see the chart. */
export function UsageTable({ days }: { readonly days: readonly DayCount[] }) {
  const { history, language } = useTexts();
  const { column } = history;
  return (
    <details className={classes.numbers}>
      <summary>
        <ChevronIcon />
        {history.table}
      </summary>
      <table aria-label={history.table}>
        <thead>
          <tr>
            <th scope="col">{column.day}</th>
            <th scope="col">{column.granted}</th>
            <th scope="col">{column.refused}</th>
          </tr>
        </thead>
        <tbody>
          {[...days].reverse().map(({ day, granted, refused }) => (
            <tr key={day}>
              <th scope="row">{dayDate(day, language)}</th>
              <td>{wholeNumber(granted, language)}</td>
              <td>{wholeNumber(refused, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
