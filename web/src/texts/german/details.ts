import type { Texts } from '../english/english';

const requests = (count: number, written: string) => `${written} ${count === 1 ? 'Anfrage' : 'Anfragen'}`;

export const details: Texts['details'] = {
  title: 'API-Schlüssel',
  edit: 'Name und Notiz bearbeiten',
  more: 'Weitere Aktionen',
  name: 'Name',
  note: 'Notiz',
  noteHint: 'Optional. Zum Beispiel, wer ihn nutzt oder wo er gespeichert ist.',
  save: 'Speichern',
  expiresSoon: (relative) =>
    `Dieser Schlüssel läuft ${relative} ab. Rotieren Sie ihn, um vorher einen neuen zu erhalten.`,
  ended: {
    expired: (relative) => `Dieser Schlüssel ist ${relative} abgelaufen.`,
    owner: (relative) => `Sie haben diesen Schlüssel ${relative} widerrufen.`,
    administrator: (relative) => `Die Administration hat diesen Schlüssel ${relative} widerrufen.`,
    platform: (relative) => `Ihre Plattform hat diesen Schlüssel ${relative} widerrufen.`,
    rotated: (relative) => `Ein neuer Schlüssel hat diesen ${relative} ersetzt.`,
    leaked: (relative) => `Dieser Schlüssel wurde offengelegt und ${relative} widerrufen.`,
    idle: (relative) => `Dieser Schlüssel wurde ${relative} widerrufen, weil ihn niemand genutzt hat.`,
    unknown: (relative) => `Dieser Schlüssel wurde ${relative} widerrufen.`,
  },
  rejectedSince: (count, written) =>
    count === 0 ? 'Seitdem wurden keine Anfragen abgelehnt.' : `Seitdem abgelehnt: ${requests(count, written)}.`,
  rejectedLately: (days, count, written) => `In den letzten ${days} Tagen abgelehnt: ${requests(count, written)}.`,
  openReplacement: 'Neuen Schlüssel öffnen',
  history: 'Verlauf',
  noHistory: 'Keine Ereignisse mehr.',
  allActivity: 'Gesamte Aktivität anzeigen',
  facts: 'Details',
  prefix: 'Präfix des Schlüssels',
  replaces: 'Ersetzt',
  replacedBy: 'Ersetzt durch',
  expires: (relative) => `Läuft ${relative} ab`,
  ends: 'Endet',
  unlessUsed: 'Endet, wenn er nicht genutzt wird',
  otherKey: (prefix) => `Schlüssel ${prefix}`,
  otherKeyGone: 'einen anderen Schlüssel',
  unknown: 'Sie haben keinen Schlüssel mit dieser ID. Vielleicht gehört er zu einem anderen Konto.',
};
