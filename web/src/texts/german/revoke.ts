import type { Texts } from '../english/english';

export const revoke: Texts['revoke'] = {
  title: (name) => `„${name}“ widerrufen?`,
  titleLeaked: (name) => `„${name}“ widerrufen, weil er offengelegt wurde?`,
  consequence:
    'Alles, was diesen Schlüssel nutzt, funktioniert sofort nicht mehr. Das lässt sich nicht rückgängig machen.',
  key: 'Schlüssel',
  counts: (accepted, rejected) => `${accepted} akzeptiert · ${rejected} abgelehnt`,
  noRequests: 'Keine Anfragen',
  addresses: 'Zuletzt gesehen von',
  addressVia: (address, service) => `${address} über ${service}`,
  recent: 'Er wurde am letzten Tag genutzt, also braucht ihn wahrscheinlich noch etwas.',
  confirm: 'Ja, endgültig widerrufen',
  confirmNeeded: 'Setzen Sie zur Bestätigung das Häkchen',
  submit: 'Widerrufen',
  stopping: 'Der Schlüssel wird überall gestoppt…',
  done: (name) => `„${name}“ wurde widerrufen`,
  already: {
    revoked: (name) => `„${name}“ war schon widerrufen`,
    expired: (name) => `„${name}“ war schon abgelaufen`,
  },
  gone: (name) => `„${name}“ gibt es nicht mehr`,
};

export const pause: Texts['pause'] = {
  for: { 5: '5 Minuten pausieren', 60: 'Eine Stunde pausieren', 1440: 'Einen Tag pausieren' },
  until: (when) => `Pausiert bis ${when}`,
  advice: 'Unsicher, wer ihn nutzt? Pausieren Sie ihn zuerst und sehen Sie, wer abgelehnt wird.',
  first: 'Eine Stunde pausieren',
  done: (name, when) => `„${name}“ ist pausiert und funktioniert ${when} wieder`,
  fact: 'Pausiert bis',
};
