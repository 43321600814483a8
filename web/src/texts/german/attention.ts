import type { Texts } from '../english/english';

export const attention: Texts['attention'] = {
  title: 'Handlungsbedarf',
  calm: 'Gut zu wissen',
  leaked: {
    on: (host) => `auf ${host} offengelegt`,
    by: (source) => `laut ${source} offengelegt`,
    somewhere: 'offengelegt',
    title: (leaked, when) => `wurde ${leaked} und ${when} widerrufen`,
    text: 'Niemand kann ihn mehr nutzen. Setzen Sie einen neuen Schlüssel ein und prüfen Sie, was mit dem alten geschehen ist.',
    fix: 'Ersetzen…',
    check: 'Niemand kann ihn mehr nutzen. Prüfen Sie, was mit ihm geschehen ist.',
  },
  expired: {
    title: (when) => `ist ${when} abgelaufen`,
    text: 'Er wurde bis dahin genutzt. Was ihn jetzt noch nutzt, erhält Fehler.',
    textRejected: 'Etwas nutzt ihn noch und erhält Fehler.',
  },
  idle: {
    title: (when) => `wurde ${when} widerrufen, weil er zu lange ungenutzt war`,
    text: 'Er wurde so lange nicht genutzt, dass er widerrufen wurde.',
    textRejected: 'Etwas versucht, ihn wieder zu nutzen, und erhält Fehler.',
  },
  expiring: {
    title: (when) => `läuft ${when} ab`,
    text: 'Rotieren Sie ihn, wenn Sie ihn noch brauchen.',
    textInUse: 'Er wird genutzt. Rotieren Sie ihn jetzt, damit nichts ausfällt.',
  },
  seen: {
    title: (name) => `stammt von ${name}, nicht mehr dabei`,
    text: 'Diese Person kennt den Schlüssel. Rotieren Sie ihn.',
  },
  reading: {
    title: 'darf schreiben und liest nur',
    text: 'Seit 30 Tagen hat er nur Berechtigungen zum Lesen genutzt.',
    fix: 'Nutzung ansehen',
  },
  idling: {
    text: 'Nutzen Sie ihn einmal, wenn Sie ihn noch brauchen. Wenn nicht, ist nichts zu tun.',
  },
  unused: {
    title: (when) => `Der neue Schlüssel wurde noch nicht genutzt; der alte läuft ${when} ab`,
    text: 'Setzen Sie den neuen Schlüssel überall ein, wo der alte genutzt wird. Wenn Sie ihn verloren haben, machen Sie die Rotation rückgängig und rotieren Sie erneut.',
  },
  rejected: (count, written) =>
    count === 1 ? ' · seitdem 1 Anfrage abgelehnt' : ` · seitdem ${written} Anfragen abgelehnt`,
  handle: 'Abhaken',
  handled: 'Erledigt',
  about: (label, name) => `${label}: ${name}`,
  showMore: (count) => `${count} weitere anzeigen`,
};
