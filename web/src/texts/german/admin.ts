import type { AdminTexts } from '../../admin/texts';

export const admin: AdminTexts = {
  intro:
    'Die Schlüssel aller Konten. Sie können sie beenden, aber nicht erstellen oder ändern. Jede Ansicht wird aufgezeichnet: Die Eigentümer sehen, dass die Administration ihre Schlüssel angesehen hat.',
  search: 'Alle Schlüssel durchsuchen',
  owner: 'Eigentümer',
  ownerHint: 'E-Mail oder ID',
  noOwner: 'Kein Konto mit dieser E-Mail oder ID',
  which: 'Welches Konto meinen Sie?',
  clearOwner: 'Schlüssel aller Konten anzeigen',
  prefix: 'Präfix des Schlüssels',
  prefixHint: 'Nur der Anfang wird verwendet',
  status: 'Status',
  anyStatus: 'Alle',
  unused: 'Seit 90 Tagen ungenutzt',
  start: (field) => `Suchen: ${field}`,
  apply: 'Anwenden',
  expires: {
    all: 'Ablauf',
    from: 'Läuft ab von',
    until: 'Läuft ab bis',
    thisMonth: 'Diesen Monat',
    soon: (days) => `In ${days} Tagen`,
    any: 'Jeder Ablauf',
  },
  table: 'Schlüssel aller Konten',
  service: 'Dienstkonto',
  accountStatus: { active: 'Aktiv', suspended: 'Gesperrt', deleted: 'Gelöscht' },
  none: 'Kein Schlüssel passt.',
  empty: 'Noch hat niemand einen Schlüssel erstellt.',
  clear: 'Suche und Filter löschen',
  failed: 'Die Schlüssel konnten nicht geladen werden',
  accountsFailed: 'Die Konten konnten nicht durchsucht werden',
  lost: {
    title: 'Sie können nicht mehr alle Schlüssel sehen',
    text: 'Ihr Konto hat die Berechtigung dafür nicht mehr. Ihre eigenen Schlüssel finden Sie unter „Schlüssel“.',
  },
  showOwner: 'Alle Schlüssel dieses Kontos anzeigen',
  otherKey: 'Diesen Schlüssel öffnen',
  revoke: 'Widerrufen…',
  belongsTo: (name) => `Er gehört ${name}.`,
  note: 'Notiz (optional)',
  noteHint: 'Warum Sie ihn widerrufen. Sie bleibt im Audit-Trail.',
  done: (name) => `„${name}“ wurde widerrufen`,
  already: (name) => `„${name}“ war schon beendet`,
  others: {
    revokedBy: {
      owner: 'Vom Eigentümer widerrufen',
      platform: 'Von der Plattform widerrufen',
      purged: 'Von der Plattform widerrufen',
    },
    ended: {
      owner: (relative) => `Der Eigentümer hat diesen Schlüssel ${relative} widerrufen.`,
      platform: (relative) => `Die Plattform hat diesen Schlüssel ${relative} widerrufen.`,
    },
    revokedKey: { platform: (name) => `Schlüssel ${name} wurde von der Plattform widerrufen` },
    rejectedKey: {
      'owner-suspended': (name) => `${name} abgelehnt: Das Konto des Eigentümers war gesperrt`,
      'owner-deleted': (name) => `${name} abgelehnt: Das Konto des Eigentümers war gelöscht`,
    },
    unknown: 'Es gibt keinen Schlüssel mit dieser ID.',
    all: {
      'read-only': 'Alles, was der Eigentümer lesen darf',
      'read-and-write': 'Alles, was der Eigentümer lesen und schreiben darf',
    },
    alreadyEnded: 'Dieser Schlüssel ist schon beendet.',
    create: {
      retrying: 'Wir versuchen es weiter…',
      notSignedIn:
        'Sie haben sich nicht erneut angemeldet, daher wurde der Schlüssel nicht widerrufen. Versuchen Sie es, sobald Sie möchten.',
      notFresh:
        'Ihre Anmeldung ist zu lange her oder nicht sicher genug, daher wurde der Schlüssel nicht widerrufen. Melden Sie sich erneut an und versuchen Sie es noch einmal.',
      unanswered: 'Vielleicht wurde der Schlüssel schon widerrufen. Versuchen Sie es erneut: Nichts geschieht zweimal.',
    },
  },
};
