import type { Texts } from '../texts';

type Words = Readonly<Record<string, unknown>>;

/** The texts for the keys of a service account, where some must not say "you". */
export function textsOfAccount(texts: Texts): Texts {
  return replaced(texts, texts.accounts.instead) as Texts;
}

function replaced(words: Words, instead: Words): Words {
  const both = Object.entries(instead).map(([name, other]) => {
    const word = words[name];
    return [name, isWords(word) && isWords(other) ? replaced(word, other) : other];
  });
  return { ...words, ...Object.fromEntries(both) };
}

const isWords = (word: unknown): word is Words => typeof word === 'object' && word !== null;
