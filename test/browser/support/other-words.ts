// Another set of texts for the panel. A page imports this file, too, so it imports nothing.

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
