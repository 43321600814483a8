import type { Texts } from '../../texts';

export const history: Texts['history'] = {
  title: 'Nutzung',
  lastDays: (days) => `Letzte ${days} Tage`,
  never: 'Noch nicht genutzt',
  notLately: (days) => `Keine Anfragen in den letzten ${days} Tagen`,
  failed: 'Die Nutzung konnte nicht geladen werden',
  granted: (count) => `${count} akzeptiert`,
  refused: (count) => `${count} abgelehnt`,
  chart: (days) => `Anfragen pro Tag, letzte ${days} Tage`,
  day: (day, granted, refused) => `${day}: ${granted} akzeptiert · ${refused} abgelehnt`,
  dayAloud: (day, granted, refused) => `${day}: ${granted} akzeptiert, ${refused} abgelehnt`,
  table: 'Zahlen nach Tag',
  column: { day: 'Tag (UTC)', granted: 'Akzeptiert', refused: 'Abgelehnt' },
  addresses: 'Adressen',
  rejected:
    'Die letzte abgelehnte Anfrage jeder Adresse steht unten mit ihrem Grund. Die Aktivität enthält davon die mit einem gestoppten Schlüssel und die von einer nicht erlaubten Adresse.',
  rejectedUnknown:
    'Für Anfragen ohne bekannte Adresse, oder von einer, die nicht unter den letzten fünf ist, ist kein Grund gespeichert. Die Aktivität enthält davon die mit einem gestoppten Schlüssel und die von einer nicht erlaubten Adresse.',
  noAddress: 'Noch keine Anfrage von einer bekannten Adresse.',
  isNew: 'Neu',
  lastSeen: (relative) => `zuletzt ${relative}`,
  since: (date) => `seit ${date}`,
  via: (service) => `über ${service}`,
  viaProxy: 'über einen Proxy',
  lastDenied: (relative) => `abgelehnt ${relative}:`,
  denied: {
    operation: { read: 'Lesen', write: 'Schreiben', destroy: 'Löschen' },
    reason: {
      'missing-permission': (asked) => `dem Schlüssel fehlt die Berechtigung: ${asked}`,
      'read-only-key': (asked) => `der Schlüssel darf nur lesen, verlangt war: ${asked}`,
      'operation-not-allowed': () => 'das darf kein Schlüssel',
      'rate-limited': () => 'zu viele Anfragen',
      'address-not-allowed': () => 'diese Adresse ist nicht erlaubt',
      revoked: () => 'der Schlüssel war widerrufen',
      expired: () => 'der Schlüssel war abgelaufen',
      'owner-suspended': () => 'das Konto war gesperrt',
      'owner-deleted': () => 'das Konto war gelöscht',
    },
    other: 'der Dienst erlaubt es nicht',
  },
};
