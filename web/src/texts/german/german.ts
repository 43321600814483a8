import type { Texts } from '../english/english';
import { accounts } from './accounts';
import { activity } from './activity';
import { attention } from './attention';
import { create } from './create';
import { details } from './details';
import { history } from './history';
import { keys } from './keys';
import { restrictions } from './restrictions';
import { reveal } from './reveal';
import { pause, revoke } from './revoke';
import { rotate } from './rotate';
import { session } from './session';

/** Every word of the panel in German. */
export const german: Texts = {
  language: 'de',
  panelTitle: 'API-Schlüssel',
  tabs: { label: 'Bereiche', keys: 'Schlüssel', activity: 'Aktivität' },
  close: 'Schließen',
  cancel: 'Abbrechen',
  done: 'Fertig',
  help: 'Hilfe',
  newTab: '(öffnet in einem neuen Tab)',
  tryAgain: 'Erneut versuchen',
  showMore: 'Mehr anzeigen',
  loading: 'Wird geladen…',
  showPassword: 'Passwort anzeigen',
  never: 'nie',
  justNow: 'gerade eben',
  failure: {
    offline: 'Sie sind offline. Prüfen Sie Ihre Verbindung und versuchen Sie es dann erneut.',
    noAnswer: 'Der Dienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    unavailable: 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
    anotherPerson: 'Inzwischen ist jemand anderes angemeldet, daher wurde nichts geändert.',
    signedOut: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an, um fortzufahren.',
    noAccount: 'Sie sind angemeldet, haben hier aber noch kein Konto.',
    notManaged: 'Sie verwalten dieses Dienstkonto nicht mehr, daher wurde nichts geändert.',
    notActive: 'Dieses Dienstkonto ist gesperrt oder gelöscht, daher wurde kein Schlüssel erstellt.',
    ended: 'Dieser Schlüssel ist schon beendet. Wenn Sie noch einen brauchen, erstellen Sie einen neuen.',
    unexpected: (detail) => `Etwas ist schiefgelaufen: ${detail}`,
    wait: (duration) => `Zu viele Versuche. Warten Sie ${duration} und versuchen Sie es dann erneut.`,
  },
  noAccount: {
    title: 'Sie haben hier noch kein Konto',
    text: 'Sie sind angemeldet, können aber erst API-Schlüssel erstellen, wenn Ihnen jemand Zugriff gibt. Wenden Sie sich an die Betreiber dieser Plattform.',
  },
  keys,
  attention,
  details,
  history,
  create,
  restrictions,
  reveal,
  pause,
  revoke,
  rotate,
  activity,
  accounts,
  session,
};
