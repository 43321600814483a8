import type { Texts } from '../english/english';

export const create: Texts['create'] = {
  sentence: {
    start: 'Er darf',
    all: {
      'read-only': 'alles lesen, was Sie können',
      'read-and-write': 'alles lesen und schreiben, was Sie können',
    },
    only: (count) =>
      count === 0
        ? 'tun, was Sie unten wählen'
        : count === 1
          ? '1 Berechtigung nutzen'
          : `${count} Berechtigungen nutzen`,
    lasting: (days) => `${days} lang`,
    noDay: 'bis zu einem Tag Ihrer Wahl',
    from: (networks) => (networks === 0 ? 'von überall' : networks === 1 ? 'aus 1 Netz' : `aus ${networks} Netzen`),
    change: (field, word) => `${field}: ${word}, ändern`,
    withoutNote: 'Notiz hinzufügen',
    withNote: 'Notiz ändern',
  },
  title: 'API-Schlüssel erstellen',
  titleAgain: 'Neu erstellen',
  name: 'Name',
  nameHint: 'Zum Beispiel „CI-Deployment“ oder „Backup-Skript“',
  nameTaken: (name, prefix) => `Sie haben schon einen aktiven Schlüssel „${name}“ (${prefix}).`,
  note: 'Notiz (optional)',
  noteHint: 'Wofür ist er?',
  access: 'Zugriff',
  never:
    'Schlüssel können nie endgültig löschen, Schlüssel verwalten, Kontoeinstellungen ändern oder in fremdem Namen handeln.',
  expiry: 'Gültigkeit',
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tage`),
  custom: 'Eigenes Datum',
  date: 'Ablaufdatum',
  range: (first, last) => `Wählen Sie ein Datum vom ${first} bis zum ${last}.`,
  expiresOn: (date) => `Läuft am ${date} ab.`,
  expiresOnIn: (date, days) => `Läuft am ${date} ab (noch ${days}).`,
  mailed: (days) => `Wir schicken Ihnen ${days} Tage vorher eine E-Mail.`,
  mailedOneDay: 'Wir schicken Ihnen am Tag vorher eine E-Mail.',
  password: 'Ihr Passwort',
  passwordHint: 'Zur Bestätigung, dass Sie es sind',
  confirmation: {
    hint: 'Möglicherweise müssen Sie sich erneut anmelden, um zu bestätigen, dass Sie es sind.',
    title: 'Bestätigen Sie durch eine Anmeldung, dass Sie es sind',
    text: 'Danach kommen Sie zu diesem Formular zurück, mit allem, was Sie eingegeben haben.',
    again:
      'Ihre Anmeldung reichte nicht aus: Sie war zu lange her oder nicht sicher genug, oder Ihre Plattform machte dazu keine Angabe. Wenn das wieder passiert, wenden Sie sich an die Betreiber Ihrer Plattform.',
    submit: 'Erneut anmelden',
  },
  confirming: 'Warten auf Ihre erneute Anmeldung…',
  submit: 'Erstellen',
  retrying: 'Wir versuchen es weiter. Nichts geschieht zweimal.',
  required: {
    name: 'Geben Sie dem Schlüssel einen Namen',
    length: (most) => `Höchstens ${most} Zeichen`,
    date: 'Wählen Sie einen Tag zwischen morgen und heute in einem Jahr',
    password: 'Geben Sie Ihr Passwort ein',
  },
  field: (message) => `Der Dienst meldet: „${message}“`,
  wrongPassword: 'Falsches Passwort',
  tooManyChanges: (duration) =>
    `Sie haben innerhalb einer Stunde zu viele Schlüssel erstellt. Warten Sie ${duration} und versuchen Sie es dann erneut.`,
  notSignedIn:
    'Sie haben sich nicht erneut angemeldet, daher wurde nichts geändert. Versuchen Sie es, sobald Sie möchten.',
  notFresh:
    'Ihre Anmeldung ist zu lange her oder nicht sicher genug, daher wurde nichts geändert. Melden Sie sich erneut an und versuchen Sie es noch einmal.',
  somebodyElse: 'Jemand anderes hat sich angemeldet, daher wurde nichts geändert. Dies sind dessen Schlüssel.',
  unanswered: 'Ihre Eingaben sind noch da. Versuchen Sie es erneut: Nichts geschieht zweimal.',
  lost: {
    title: 'Der neue Schlüssel wurde erstellt, konnte Ihnen aber nicht angezeigt werden',
    text: (name) =>
      `Die Antwort mit „${name}“ ging unterwegs verloren. Ein Schlüssel wird nur einmal angezeigt, daher kann niemand diesen nutzen.`,
    advice: 'Widerrufen Sie ihn und erstellen Sie einen neuen mit denselben Angaben.',
    again: 'Widerrufen und neu erstellen',
    keep: 'Ohne Schlüssel schließen',
    working: 'Der Schlüssel wird widerrufen, dann versuchen wir es erneut…',
  },
};
