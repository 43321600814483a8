// Two other sets of texts for the panel. A page imports this file, too, so it imports nothing.

const LETTERS = 'αβκδεφγχιζκλμνοπθρστυβωξψζ';

/** Spelled with Greek letters, so that a Latin letter on the screen belongs to a text that was not passed in. */
export const greek = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => LETTERS[letter.toLowerCase().charCodeAt(0) - 97]!);

/** Leaves the parameters of a sentence (a name, a date, a number) unchanged. */
function spell(words: unknown): unknown {
  if (typeof words === 'string') return greek(words);
  if (Array.isArray(words)) return words.map(spell);
  if (typeof words === 'object' && words !== null) {
    return Object.fromEntries(Object.entries(words).map(([name, word]) => [name, spell(word)]));
  }
  return (...given: unknown[]) => {
    const marked = given.map((one, index) => (typeof one === 'number' ? one : String.fromCharCode(0xe000 + index)));
    const sentence = (words as (...all: unknown[]) => string)(...marked);
    return greek(sentence).replaceAll(/[\ue000-\ue0ff]/g, (mark) => String(given[mark.charCodeAt(0) - 0xe000]));
  };
}

export const allGreek = <T extends object>(english: T): T => ({ ...(spell(english) as T), language: 'el' });

/** The German texts of the list of keys. */
export function german<T extends { readonly keys: K }, K extends { readonly column: object; readonly recent: object }>(
  english: T,
): T {
  return {
    ...english,
    language: 'de',
    panelTitle: 'API-Schlüssel',
    tabs: { label: 'Abschnitte', keys: 'Schlüssel', activity: 'Verlauf' },
    never: 'nie',
    keys: {
      ...english.keys,
      intro: 'Damit handeln Skripte und Programme für Sie. Jeder läuft ab, und jeder lässt sich jederzeit widerrufen.',
      create: 'Schlüssel anlegen',
      activeOf: (active: number, most: number) => `${active} von ${most} aktiv`,
      ended: (count: string) => `Beendet (${count})`,
      column: {
        ...english.keys.column,
        access: 'Zugriff',
        recent: 'Letzte 30 Tage',
        lastUsed: 'Zuletzt benutzt',
        expires: 'Läuft ab',
      },
      access: { 'read-only': 'Nur lesen', 'read-and-write': 'Lesen und schreiben' },
      status: { active: 'Aktiv', expired: 'Abgelaufen', revoked: 'Widerrufen' },
      recent: { ...english.keys.recent, none: 'Keine Anfragen' },
    },
  };
}
