import type { PageTexts } from '../english/page';

export const page: PageTexts = {
  documentTitle: 'API-Schlüssel · Latchkey',
  product: 'Latchkey',
  scheme: { toLight: 'Zu hellen Farben wechseln', toDark: 'Zu dunklen Farben wechseln' },
  title: 'Bei Latchkey anmelden',
  text: 'um Ihre API-Schlüssel zu verwalten',
  signOut: 'Abmelden',
  allKeys: 'Alle Schlüssel',
  audit: 'Audit',
  or: 'oder',
  otherAccount: 'Anderes Konto verwenden',
  elsewhere: {
    title: 'Ihre API-Schlüssel finden Sie in den Einstellungen Ihrer Plattform',
    text: 'Melden Sie sich bei Ihrer Plattform an und suchen Sie in den Einstellungen nach API-Schlüsseln.',
  },
  another: {
    title: 'Sie sind jetzt mit einem anderen Konto angemeldet',
    text: 'Diese Seite wurde für ein anderes geöffnet, daher wurde nichts geändert.',
  },
  refused: {
    no_account: {
      title: 'Sie haben hier kein Konto',
      text: 'Sie sind bei Ihrer Plattform angemeldet, aber noch hat Ihnen niemand Zugriff auf API-Schlüssel gegeben. Wenden Sie sich an die Betreiber Ihrer Plattform.',
    },
    service_account: {
      title: 'Dies ist ein Dienstkonto',
      text: 'Dienstkonten können sich nicht anmelden. Melden Sie sich mit Ihrem eigenen Konto an: Wenn Sie das Dienstkonto verwalten, finden Sie seine Schlüssel neben Ihren.',
    },
    suspended: {
      title: 'Ihr Konto ist gesperrt',
      text: 'Auch seine API-Schlüssel funktionieren nicht mehr. Wenden Sie sich an die Betreiber Ihrer Plattform.',
    },
    deleted: {
      title: 'Ihr Konto wurde gelöscht',
      text: 'Auch seine API-Schlüssel funktionieren nicht mehr. Wenden Sie sich an die Betreiber Ihrer Plattform.',
    },
    expired: {
      title: 'Diese Anmeldung ist abgelaufen',
      text: 'Sie hat mehr als zehn Minuten gedauert, war schon abgeschlossen oder wurde in einem anderen Browser begonnen. Versuchen Sie es erneut.',
    },
    cancelled: {
      title: 'Sie haben die Anmeldung abgebrochen',
      text: 'Sie können es jederzeit erneut versuchen.',
    },
    misconfigured: {
      title: 'Die Anmeldung ist falsch eingerichtet',
      text: 'Niemand kann sich anmelden, bis die Betreiber dieses Dienstes das beheben.',
    },
    failed: {
      title: 'Sie wurden nicht angemeldet',
      text: 'Ihre Plattform hat nicht bestätigt, wer Sie sind. Versuchen Sie es erneut.',
    },
    too_many: {
      title: 'Gerade melden sich zu viele an',
      text: 'Warten Sie eine Minute und versuchen Sie es dann erneut.',
    },
    unavailable: {
      title: 'Die Anmeldung Ihrer Plattform ist nicht erreichbar',
      text: 'Versuchen Sie es gleich noch einmal.',
    },
  },
};
