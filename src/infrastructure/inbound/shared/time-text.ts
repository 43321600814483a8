const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The time in a text of RFC 3339. Undefined for another text, and for a day that does not exist. */
export function timeIn(text: string): Date | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  const time = new Date(text);
  if (day === undefined || Number.isNaN(time.getTime())) return undefined;
  // Date takes 31 February, as 3 March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}
