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
  noAddress: 'Noch keine akzeptierte Anfrage von einer bekannten Adresse.',
  isNew: 'Neu',
  lastSeen: (relative) => `zuletzt ${relative}`,
  since: (date) => `seit ${date}`,
  via: (service) => `über ${service}`,
  viaProxy: 'über einen Proxy',
};
