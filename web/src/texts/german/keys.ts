import type { Texts } from '../english/english';

export const keys: Texts['keys'] = {
  intro:
    'Mit Schlüsseln handeln Skripte und Programme in Ihrem Namen. Jeder läuft irgendwann ab, und Sie können ihn jederzeit widerrufen.',
  create: 'API-Schlüssel erstellen',
  activeOf: (active, most) => {
    const count = active === 1 ? '1 aktiver Schlüssel' : `${active} aktive Schlüssel`;
    if (active > most) return `${count}, ${most} erlaubt`;
    return active < most ? `${count}, ${most - active} weitere möglich` : `${count}, die Höchstzahl`;
  },
  limits: {
    account: (allowed) => `Ihre Organisation erlaubt ${allowed}.`,
    service: (allowed) => `Dieser Dienst erlaubt ${allowed}.`,
    access: 'nur Schlüssel zum Lesen',
    days: (days) => `Schlüssel für höchstens ${days}`,
    keys: (most) => (most === 1 ? 'einen aktiven Schlüssel' : `${most} aktive Schlüssel`),
    noNewKeys: 'Neue API-Schlüssel sind hier nicht erlaubt. Vorhandene gelten weiter, und Sie können sie widerrufen.',
    revoke: 'Widerrufen Sie einen, den Sie nicht mehr brauchen, und versuchen Sie es dann erneut.',
  },
  filterLabel: 'Schlüssel anzeigen',
  filter: {
    all: (count) => `Alle ${count}`,
    active: (count) => `Aktiv ${count}`,
    attention: (count) => `Handlungsbedarf ${count}`,
    ended: (count) => `Beendet ${count}`,
  },
  search: 'Nach Name, Notiz oder Präfix suchen',
  tableLabel: 'API-Schlüssel',
  endedLabel: 'Beendete API-Schlüssel',
  ended: (count) => `Beendet (${count})`,
  column: {
    name: 'Name',
    access: 'Zugriff',
    created: 'Erstellt',
    recent: 'Letzte 30 Tage',
    lastUsed: 'Zuletzt genutzt',
    expires: 'Läuft ab',
    ended: 'Beendet',
    status: 'Status',
    actions: 'Aktionen',
  },
  access: { 'read-only': 'Nur lesen', 'read-and-write': 'Lesen/schreiben' },
  status: { active: 'Aktiv', expired: 'Abgelaufen', revoked: 'Widerrufen' },
  recent: {
    accepted: (count) => `Letzte 30 Tage: ${count} akzeptiert`,
    rejected: (accepted, rejected, day) =>
      `Letzte 30 Tage: ${accepted} akzeptiert, ${rejected} abgelehnt; zuletzt am ${day}`,
  },
  neverUsed: 'Nie genutzt',
  used: (relative) => `Zuletzt ${relative} genutzt`,
  usedLast: { old: 'alter Schlüssel', next: 'neuer Schlüssel' },
  endsSoon: (relative) => `Endet ${relative}`,
  idleEnds: (date) => `Endet am ${date}, wenn er nicht genutzt wird`,
  revokedBy: {
    owner: 'Von Ihnen widerrufen',
    administrator: 'Administrativ widerrufen',
    platform: 'Von Plattform widerrufen',
    leaked: 'Offengelegt',
    idle: 'Zu lange ungenutzt',
    rotated: 'Ersetzt',
    purged: 'Von Plattform widerrufen',
  },
  replacedBy: (prefix) => `durch ${prefix}`,
  actionsFor: (name) => `Aktionen für ${name}`,
  detailsOfOld: 'Details des alten Schlüssels',
  copyId: 'ID kopieren',
  rotate: 'Rotieren…',
  leaked: 'Wurde offengelegt…',
  revoke: 'Widerrufen…',
  createAgain: 'Neu erstellen…',
  progress: {
    waiting: 'Warten auf die erste Nutzung des neuen Schlüssels',
    untilThen: (prefix) => `der alte Schlüssel ${prefix} funktioniert bis dahin weiter`,
    untilAfter: (prefix, duration) => `der alte Schlüssel ${prefix} funktioniert danach noch ${duration} weiter`,
    inUse: 'Neuer Schlüssel wird genutzt',
    ends: (prefix, relative) => `der alte Schlüssel ${prefix} endet ${relative}`,
  },
  empty: {
    title: 'Noch keine API-Schlüssel',
    text: 'Mit einem Schlüssel ruft ein Skript, ein CI-Job oder ein anderes Programm die API in Ihrem Namen auf. Der Schlüssel kann nur lesen, solange Sie nicht mehr erlauben.',
    create: 'Ersten API-Schlüssel erstellen',
  },
  noneWith: {
    active: 'Keine aktiven Schlüssel. Kein Programm kann in Ihrem Namen die API aufrufen.',
    attention: 'Kein Handlungsbedarf.',
    ended: 'Keine beendeten Schlüssel.',
  },
  noneFound: (search) => `Kein Schlüssel enthält „${search}“ in Name, Notiz oder Präfix.`,
  clearSearch: 'Suche löschen',
  shown: (count) => (count === 1 ? '1 Schlüssel angezeigt' : `${count} Schlüssel angezeigt`),
  failed: 'Ihre Schlüssel konnten nicht geladen werden',
  staleFailed: 'Ihre Schlüssel konnten nicht aktualisiert werden',
};
