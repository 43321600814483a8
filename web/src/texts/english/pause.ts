export const pause = {
  menu: 'Pause',
  for: { 5: 'For 5 minutes', 60: 'For an hour', 1440: 'For a day' } as Readonly<Record<number, string>>,
  until: (when: string) => `Paused until ${when}`,
  /** In the form that revokes a key. */
  advice: 'Not sure who uses it? Pause it first, and see who is rejected.',
  first: 'Pause it for an hour',
  done: (name: string, when: string) => `“${name}” is paused and works again ${when}`,
  fact: 'Paused until',
};
