import type { pause as english } from '../english/pause';

export const pause: typeof english = {
  menu: 'Pausieren',
  for: { 5: 'Für 5 Minuten', 60: 'Für eine Stunde', 1440: 'Für einen Tag' },
  until: (when) => `Pausiert bis ${when}`,
  advice: 'Unsicher, wer ihn nutzt? Pausieren Sie ihn zuerst und sehen Sie, wer abgelehnt wird.',
  first: 'Eine Stunde pausieren',
  done: (name, when) => `„${name}“ ist pausiert und funktioniert ${when} wieder`,
  fact: 'Pausiert bis',
};
