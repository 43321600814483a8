import type { Texts } from '../english/english';

export const accounts: Texts['accounts'] = {
  keysOf: 'Schlüssel:',
  yours: 'Ihre',
  ofName: (name) => `von ${name}`,
  nowOf: (name) => `Angezeigt werden die Schlüssel von ${name}`,
  nowYours: 'Angezeigt werden Ihre Schlüssel',
  belongs: (name) => `Dieser Schlüssel gehört ${name}. Er funktioniert weiter, wenn Sie ausscheiden.`,
  madeBy: 'Erstellt von',
  madeByYou: 'Ihnen',
  stopped: {
    suspended: {
      option: (name) => `${name} (gesperrt)`,
      title: (name) => `${name} ist gesperrt`,
      text: 'Seine Schlüssel funktionieren nicht, und es können keine neuen erstellt werden. Sie können sie widerrufen.',
    },
    deleted: {
      option: (name) => `${name} (gelöscht)`,
      title: (name) => `${name} wurde gelöscht`,
      text: 'Seine Schlüssel funktionieren nicht, und es können keine neuen erstellt werden. Sie können sie widerrufen.',
    },
  },
  lost: {
    title: (name) => `Sie verwalten ${name} nicht mehr`,
    titleUnknown: 'Sie verwalten dieses Dienstkonto nicht',
    text: 'Wenden Sie sich an die Betreiber Ihrer Plattform, wenn Sie es verwalten sollten. Dies sind Ihre eigenen Schlüssel.',
  },
  instead: {
    keys: {
      intro:
        'Mit Schlüsseln handeln Skripte und Programme im Namen dieses Dienstkontos. Jeder läuft irgendwann ab, und wer das Konto verwaltet, kann ihn jederzeit widerrufen.',
      revokedBy: { owner: 'Von der Verwaltung widerrufen' },
      empty: {
        text: 'Mit einem Schlüssel ruft ein Skript, ein CI-Job oder ein anderes Programm die API im Namen dieses Dienstkontos auf. Der Schlüssel kann nur lesen, solange Sie nicht mehr erlauben.',
        create: 'Seinen ersten API-Schlüssel erstellen',
      },
      noneWith: {
        active: 'Keine aktiven Schlüssel. Kein Programm kann im Namen dieses Dienstkontos die API aufrufen.',
      },
      failed: 'Die Schlüssel konnten nicht geladen werden',
      staleFailed: 'Die Schlüssel konnten nicht aktualisiert werden',
    },
    details: {
      ended: { owner: (relative) => `Wer dieses Konto verwaltet, hat diesen Schlüssel ${relative} widerrufen.` },
      unknown: 'Dieses Dienstkonto hat keinen Schlüssel mit dieser ID. Vielleicht gehört er zu einem anderen Konto.',
    },
    create: {
      sentence: {
        all: {
          'read-only': 'alles lesen, was das Dienstkonto kann',
          'read-and-write': 'alles lesen und schreiben, was das Dienstkonto kann',
        },
      },
      nameTaken: (name, prefix) =>
        `Es gibt schon einen aktiven Schlüssel „${name}“ (${prefix}). Mit einem anderen Namen lassen sie sich leichter unterscheiden.`,
    },
    restrictions: {
      allText: 'Ändert sich, sobald sich die Berechtigungen des Dienstkontos ändern.',
      none: 'Das Dienstkonto hat keine Berechtigungen, die ein Schlüssel mit diesem Zugriff nutzen kann.',
      lost: (list) => `Weggelassen, weil das Dienstkonto es nicht vergeben kann: ${list}.`,
      all: {
        'read-only': 'Alles, was das Dienstkonto lesen darf',
        'read-and-write': 'Alles, was das Dienstkonto lesen und schreiben darf',
      },
    },
    activity: {
      intro:
        'Änderungen an den Schlüsseln dieses Dienstkontos, abgelehnte Anfragen und abgelehnte Anmeldungen. Das Neueste zuerst.',
      empty: { all: 'Noch keine Aktivität. Sobald es einen Schlüssel hat, sehen Sie hier, was mit ihm geschieht.' },
      rejectedKey: {
        'owner-suspended': (name) => `${name} abgelehnt: Das Dienstkonto war gesperrt`,
        'owner-deleted': (name) => `${name} abgelehnt: Das Dienstkonto war gelöscht`,
      },
    },
  },
};
