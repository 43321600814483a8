import type { AdminTexts, Texts } from '../texts';
import { calendarDate } from '../time/format';

/** What an administrator searched by, in words: "Owner: ada · Status: Active". What a newer service records stays as it is. */
export function viewedWords(
  viewed: Readonly<Record<string, string | null>>,
  { accounts, keys, language }: Texts,
  { audit, ...admin }: AdminTexts,
): readonly string[] {
  const { column, status } = keys;
  const names: Readonly<Record<string, string>> = {
    ...audit.viewed,
    ...audit.days,
    actor: audit.actor,
    account: audit.account,
    key: audit.key,
    type: audit.type,
    owner: admin.owner,
    createdBy: accounts.madeBy,
    prefix: admin.prefix,
    only: admin.show,
    status: column.status,
    expiresFrom: admin.expires.from,
    expiresBefore: admin.expires.until,
  };
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    status,
    only: admin.only,
    type: audit.types,
    sort: { ...column, requests: column.recent },
  };
  const valueOf = (name: string, value: string) => {
    // The service takes the beginning of the next day.
    const last = name === 'until' || name === 'expiresBefore' ? 1 : 0;
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return calendarDate(Date.parse(value) - last, language);
    return value
      .split(',')
      .map((each) => words[name]?.[each] ?? each)
      .join(', ');
  };
  return Object.entries(viewed).map(([name, value]) =>
    name === 'cursor' ? audit.furtherPage : `${names[name] ?? name}: ${value === null ? '?' : valueOf(name, value)}`,
  );
}
