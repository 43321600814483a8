import type { Texts } from '../english/english';

export const reveal: Texts['reveal'] = {
  title: (name) => `Ihr neuer Schlüssel „${name}“`,
  once: 'Sie sehen diesen Schlüssel nur einmal. Kopieren Sie ihn jetzt.',
  keyLabel: 'Ihr neuer API-Schlüssel',
  keep: 'Bewahren Sie ihn in einem Passwortmanager, einer Secret-Verwaltung oder einer Umgebungsvariable auf. Nie in der Versionsverwaltung, in Chats oder E-Mails.',
  copied: 'Kopiert',
  copyKey: 'Schlüssel kopieren',
  copySnippet: 'Snippet kopieren',
  copiedAloud: 'In die Zwischenablage kopiert',
  blocked: 'Ihr Browser blockiert hier das Kopieren. Der Text ist markiert: Drücken Sie Strg+C oder ⌘C.',
  use: 'Verwenden',
  snippets: 'Möglichkeiten, den Schlüssel zu verwenden',
  hint: {
    env: 'Fügen Sie diese Zeile in Ihre .env-Datei ein und nehmen Sie die Datei nicht in die Versionsverwaltung auf.',
    curl: 'Liest den Schlüssel aus Ihrer .env-Datei, damit er nicht im Verlauf Ihrer Shell landet.',
    node: 'Starten Sie es mit node --env-file=.env',
    python: 'Setzen Sie API_KEY in der Umgebung, zum Beispiel aus Ihrer .env-Datei.',
  },
  address: '<Adresse der API>',
  docs: 'So verwenden Sie Ihren Schlüssel',
  first: {
    waiting: 'Warten auf die erste Anfrage…',
    accepted: 'Die erste Anfrage wurde akzeptiert',
    acceptedFrom: (address) => `Akzeptiert von ${address}`,
    acceptedVia: (address, service) => `Akzeptiert von ${address} über ${service}`,
    rejected: (why) => `Eine Anfrage wurde abgelehnt: ${why}. Warten auf eine, die akzeptiert wird…`,
    over: 'Noch keine akzeptierte Anfrage. Die erste sehen Sie in der Liste Ihrer Schlüssel.',
  },
  early: {
    title: 'Schließen, ohne den Schlüssel zu kopieren?',
    text: 'Er wird nicht noch einmal angezeigt. Ohne Kopie müssen Sie einen neuen Schlüssel erstellen.',
    stay: 'Zurück zum Schlüssel',
    leave: 'Trotzdem schließen',
  },
  left: 'Sie haben die Seite verlassen, daher wird der Schlüssel nicht mehr angezeigt.',
};
