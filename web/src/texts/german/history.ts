import { denials } from '../denials';
import type { Texts } from '../english/english';

export const history: Texts['history'] = {
  title: 'Nutzung',
  lastDays: (days) => `Letzte ${days} Tage`,
  never: 'Noch nicht genutzt',
  notLately: (days) => `Keine Anfragen in den letzten ${days} Tagen`,
  failed: 'Die Nutzung konnte nicht geladen werden',
  granted: (count) => `${count} akzeptiert`,
  refused: (count) => `${count} abgelehnt`,
  chart: (days) => `Anfragen pro Tag, letzte ${days} Tage`,
  day: (day, granted, refused) => `${day}: ${granted} akzeptiert, ${refused} abgelehnt`,
  addresses: 'Adressen',
  rejected: 'Warum die letzte abgelehnt wurde, steht unten bei jeder Adresse.',
  noAddress: 'Noch keine Anfrage von einer bekannten Adresse.',
  isNew: 'Neu',
  lastSeen: (relative) => `zuletzt ${relative}`,
  since: (date) => `seit ${date}`,
  via: (service) => `über ${service}`,
  viaProxy: 'über einen Proxy',
  lastDenied: (relative) => `abgelehnt ${relative}:`,
  denied: {
    operation: { read: 'Lesen', write: 'Schreiben', destroy: 'Löschen' },
    reason: denials('german'),
    has: (permissions) => `dieser Schlüssel hat ${permissions}`,
    other: 'der Dienst erlaubt es nicht',
  },
};
