/** What a key did. Numbers and dates come written. */
export const history = {
  title: 'What it did',
  never: 'No request has come with this key yet.',
  notLately: (days: number) => `No request has come with this key in the last ${days} days.`,
  failed: 'What it did could not be loaded',
  addresses: 'Last addresses',
  askedBy: (service: string) => `asked by ${service}`,
  askedByProxy: 'asked by a proxy',
  lastAt: (relative: string) => `last ${relative}`,
  firstAt: (relative: string) => `first ${relative}`,
  noAddress: 'No request with a known address was let through.',
  requests: (days: number) => `Requests of the last ${days} days`,
  summary: (days: number, granted: string, refused: string) =>
    `Requests of the last ${days} days: ${granted} let through, ${refused} refused.`,
  busiest: (day: string, requests: string) => `The busiest day: ${day}, with ${requests}.`,
  granted: (count: string) => `${count} let through: above the line`,
  refused: (count: string) => `${count} refused: striped, below the line`,
  today: 'today',
  table: 'The numbers, day by day',
  column: { day: 'Day (UTC)', granted: 'Let through', refused: 'Refused' },
};
