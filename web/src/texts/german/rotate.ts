import type { Texts } from '../english/english';

export const rotate: Texts['rotate'] = {
  title: (name) => `„${name}“ rotieren`,
  intro:
    'Sie erhalten einen neuen Schlüssel mit demselben Namen und Zugriff. Setzen Sie ihn anstelle des alten ein. Nichts endet, bevor der neue Schlüssel zum ersten Mal genutzt wird.',
  grace: 'Nach der ersten Nutzung des neuen Schlüssels endet der alte',
  graceChoice: { 0: 'Sofort', 3600: 'Nach 1 Stunde', 86400: 'Nach 1 Tag', 604800: 'Nach 1 Woche' },
  graceText: {
    0: 'Der alte Schlüssel endet mit der ersten Nutzung des neuen.',
    3600: 'Der alte Schlüssel funktioniert nach der ersten Nutzung des neuen noch eine Stunde.',
    86400: 'Der alte Schlüssel funktioniert nach der ersten Nutzung des neuen noch einen Tag.',
    604800: 'Der alte Schlüssel funktioniert nach der ersten Nutzung des neuen noch eine Woche.',
  },
  latest: (date) => `Er läuft spätestens am ${date} ab.`,
  expiry: 'Gültigkeit des neuen Schlüssels',
  submit: 'Rotieren',
  pending:
    'Dieser Schlüssel wird bereits rotiert. Beenden Sie den alten Schlüssel oder machen Sie jene Rotation rückgängig und versuchen Sie es dann erneut.',
  paused: 'Dieser Schlüssel ist jetzt pausiert. Setzen Sie ihn fort und rotieren Sie ihn dann.',
  advice: 'Setzen Sie ihn anstelle des alten Schlüssels ein.',
  leaked: {
    title: (name) => `Offengelegten Schlüssel „${name}“ ersetzen`,
    intro:
      'Der alte Schlüssel und alles, was ihn nutzt, funktionieren sofort nicht mehr. Sie erhalten einen neuen Schlüssel mit demselben Namen, Zugriff und derselben Laufzeit.',
    needsNone: 'Sie brauchen keinen neuen Schlüssel?',
    onlyRevoke: 'Nur widerrufen',
    submit: 'Jetzt ersetzen',
    done: (name) => `„${name}“ wurde ersetzt`,
    advice: 'Der alte Schlüssel funktioniert nicht mehr. Setzen Sie den neuen an seiner Stelle ein.',
    lost: {
      advice:
        'Der alte Schlüssel ist beendet. Widerrufen Sie den neuen und erstellen Sie einen weiteren mit denselben Angaben.',
      again: 'Widerrufen und neu erstellen',
    },
  },
  lost: {
    advice:
      'Der alte Schlüssel funktioniert weiter. Widerrufen Sie den neuen und rotieren Sie erneut mit denselben Angaben.',
    again: 'Widerrufen und erneut rotieren',
  },
  pair: {
    until: 'Bis der neue Schlüssel genutzt wird',
    untilAfter: (duration) => `Bis ${duration} nach der ersten Nutzung des neuen Schlüssels`,
    latest: (relative) => `spätestens ${relative}`,
  },
  endOld: {
    action: 'Alten Schlüssel jetzt beenden…',
    title: (name) => `Alten Schlüssel „${name}“ jetzt beenden?`,
    consequence: (prefix) =>
      `Alles, was den alten Schlüssel noch nutzt, funktioniert sofort nicht mehr. Der neue Schlüssel (${prefix}) bleibt. Das lässt sich nicht rückgängig machen.`,
    unused: 'Der neue Schlüssel wurde noch nicht genutzt, also braucht wahrscheinlich noch etwas den alten.',
    confirm: 'Ja, alten Schlüssel endgültig beenden',
    submit: 'Jetzt beenden',
    done: (name) => `Der alte Schlüssel „${name}“ wurde beendet. Der neue funktioniert weiter.`,
  },
  undo: {
    action: 'Rotation rückgängig machen…',
    title: (name) => `Rotation von „${name}“ rückgängig machen?`,
    consequence: (prefix) =>
      `Der neue Schlüssel wird widerrufen, und alles, was ihn nutzt, funktioniert sofort nicht mehr. Der alte Schlüssel (${prefix}) funktioniert weiter. Der Widerruf ist endgültig.`,
    confirm: 'Ja, neuen Schlüssel endgültig widerrufen',
    submit: 'Rückgängig machen',
    done: (name) => `Die Rotation von „${name}“ wurde rückgängig gemacht. Der alte Schlüssel funktioniert weiter.`,
  },
};
