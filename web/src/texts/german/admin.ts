import type { AdminTexts } from '../english/admin';

export const admin: AdminTexts = {
  intro:
    'Die Schlüssel aller Konten. Sie können sie pausieren und beenden, aber nicht ändern. Die Eigentümer sehen, dass Sie sie angesehen haben.',
  search: 'Alle Schlüssel durchsuchen',
  owner: 'Eigentümer',
  ownerHint: 'E-Mail oder ID',
  noOwner: 'Kein Konto mit dieser E-Mail oder ID',
  noOwnerOrKey:
    'Kein Konto mit dieser E-Mail oder ID. Nötig ist die vollständige E-Mail-Adresse, eine ID oder der Anfang eines Schlüssels, etwa lk_4f9a.',
  alsoMade: (name, count) => {
    if (count === undefined) return `${name} hat vielleicht auch Schlüssel von Dienstkonten erstellt.`;
    return count === 1
      ? `${name} hat auch 1 aktiven Schlüssel eines Dienstkontos erstellt.`
      : `${name} hat auch ${count} aktive Schlüssel von Dienstkonten erstellt.`;
  },
  which: 'Welches Konto meinen Sie?',
  find: 'Eigentümer oder Präfix eines Schlüssels',
  findHint: 'E-Mail, ID oder Schlüsselpräfix',
  filter: 'Filter',
  remove: (filter) => `Filter entfernen: ${filter}`,
  prefix: 'Präfix',
  show: 'Anzeigen',
  all: 'Alle',
  only: {
    unused: 'Seit 90 Tagen ungenutzt',
    paused: 'Pausiert',
    narrower: 'Könnten weniger dürfen',
  },
  start: (field) => `Suchen: ${field}`,
  expires: {
    all: 'Ablauf',
    from: 'Läuft ab von',
    until: 'Läuft ab bis',
    soon: (days) => `Läuft innerhalb von ${days} Tagen ab`,
  },
  counts: {
    shown: (count) => `${count} angezeigt`,
    active: (count) => `${count} aktiv`,
    soon: (count) => `${count} ${count === 1 ? 'läuft' : 'laufen'} innerhalb von 7 Tagen ab`,
    unused: (count) => `${count} seit 90 Tagen ungenutzt`,
  },
  table: 'Schlüssel aller Konten',
  end: 'Ende',
  service: 'Dienstkonto',
  accountStatus: { suspended: 'Gesperrt', deleted: 'Gelöscht' },
  none: 'Kein Schlüssel passt.',
  nonePrefixed:
    'Kein Schlüssel passt. Um die Schlüssel einer Person zu finden, geben Sie ihre vollständige E-Mail-Adresse oder ID ein.',
  empty: 'Noch hat niemand einen Schlüssel erstellt.',
  clear: 'Suche und Filter löschen',
  failed: 'Die Schlüssel konnten nicht geladen werden',
  accountsFailed: 'Die Konten konnten nicht durchsucht werden',
  lost: {
    title: 'Sie können nicht mehr alle Schlüssel sehen',
    text: 'Ihr Konto hat die Berechtigung dafür nicht mehr. Ihre eigenen Schlüssel finden Sie unter „Schlüssel“.',
  },
  showOwner: 'Alle Schlüssel dieses Kontos anzeigen',
  showEvents: 'Alle Ereignisse dieses Schlüssels anzeigen',
  audit: {
    intro:
      'Wer was getan und angesehen hat, in allen Konten. Das Neueste zuerst. Die Eigentümer sehen, dass Sie es angesehen haben.',
    search: 'Audit-Trail durchsuchen',
    find: 'Wer es war, oder ID eines Schlüssels',
    actor: 'Wer es getan hat',
    account: 'Betroffenes Konto',
    key: 'Schlüssel',
    type: 'Art',
    anyType: 'Alle Arten',
    days: { all: 'Tage', from: 'Von', until: 'Bis' },
    viewed: { accounts: 'Gefunden', sort: 'Sortiert nach', lastUsedBefore: 'Zuletzt genutzt vor dem' },
    furtherPage: 'Weitere Seite',
    table: 'Audit-Trail',
    what: 'Ereignis',
    by: 'Von wem',
    when: 'Wann',
    shown: (count) => (count === 1 ? '1 Ereignis angezeigt' : `${count} Ereignisse angezeigt`),
    none: 'Kein Ereignis passt.',
    failed: 'Der Audit-Trail konnte nicht geladen werden',
    types: {
      'admin.viewed': 'Von der Administration angesehen',
      'api_key.created': 'Schlüssel erstellt',
      'api_key.renamed': 'Schlüssel umbenannt',
      'api_key.rotated': 'Rotation begonnen',
      'api_key.paused': 'Schlüssel pausiert',
      'api_key.resumed': 'Pause beendet',
      'api_key.first_used': 'Neuer Schlüssel zum ersten Mal genutzt',
      'api_key.revoked': 'Schlüssel widerrufen',
      'api_key.expired': 'Schlüssel abgelaufen',
      'authentication.failed': 'Anfrage oder Passwort abgelehnt',
      'session.opened': 'Angemeldet',
      'session.refused': 'Anmeldung abgelehnt',
      'account.created': 'Konto erstellt',
      'account.changed': 'Konto geändert',
      'account.suspended': 'Konto gesperrt',
      'account.reactivated': 'Konto reaktiviert',
      'account.deleted': 'Konto gelöscht',
      'account.purged': 'Konto endgültig gelöscht',
    },
  },
  otherKey: 'Diesen Schlüssel öffnen',
  revoke: 'Widerrufen…',
  belongsTo: (name) => `Er gehört ${name}.`,
  note: 'Notiz (optional)',
  noteHint: 'Warum Sie ihn widerrufen. Sie bleibt im Audit-Trail.',
  already: (name) => `„${name}“ war schon beendet`,
  stillPaused: (name) => `„${name}“ bleibt pausiert, durch den Eigentümer`,
  several: {
    column: 'Auswählen',
    all: 'Alle auswählen',
    select: (name) => `„${name}“ auswählen`,
    chosen: (count) => `${count} ausgewählt`,
    clear: 'Auswahl aufheben',
    pause: 'Eine Stunde pausieren',
    paused: (done, of) => {
      const are = done === 1 ? 'ist' : 'sind';
      return done < of ? `${done} von ${of} Schlüsseln ${are} pausiert.` : `${done} Schlüssel ${are} pausiert`;
    },
    revoke: (count) => `${count} Schlüssel widerrufen`,
    consequence:
      'Alles, was diese Schlüssel nutzt, funktioniert sofort nicht mehr. Das lässt sich nicht rückgängig machen.',
    list: 'Zu widerrufende Schlüssel',
    already: 'War schon beendet',
    failed: (why) => `Nicht widerrufen: ${why}`,
    over: (done, of) => `${done} von ${of} sind beendet`,
  },
  others: {
    details: {
      ended: {
        owner: (relative) => `Der Eigentümer hat diesen Schlüssel ${relative} widerrufen.`,
        platform: (relative) => `Die Plattform hat diesen Schlüssel ${relative} widerrufen.`,
      },
      unknown: 'Es gibt keinen Schlüssel mit dieser ID.',
    },
    activity: {
      revokedKey: { platform: (name) => `Schlüssel ${name} wurde von der Plattform widerrufen` },
      rejected: {
        'incorrect-password': 'Falsches Passwort',
        'invalid-token': 'Anmeldung über die Plattform abgelehnt: ungültiges Token',
      },
      rejectedKey: {
        'owner-suspended': (name) => `${name} abgelehnt: Das Konto des Eigentümers war gesperrt`,
        'owner-deleted': (name) => `${name} abgelehnt: Das Konto des Eigentümers war gelöscht`,
      },
    },
    restrictions: {
      all: {
        'read-only': 'Alles, was der Eigentümer lesen darf',
        'read-and-write': 'Alles, was der Eigentümer lesen und schreiben darf',
      },
    },
  },
};
