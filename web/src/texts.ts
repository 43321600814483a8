import { createContext, useContext, type Context } from 'react';
import type { Some } from './texts/english/accounts';
import type { AdminTexts } from './texts/english/admin';
import type { Texts } from './texts/english/english';
import type { PageTexts } from './texts/english/page';

/** Every text of the panel, of the page around it, and of administrators. A language that lacks a text is a type error. */
export type { AdminTexts, PageTexts, Texts };

export const TextsContext = createContext<Texts | null>(null);
export const PageTextsContext = createContext<PageTexts | null>(null);

export const useTexts = (): Texts => useTextsOf(TextsContext);
export const usePageTexts = (): PageTexts => useTextsOf(PageTextsContext);

export function useTextsOf<T>(context: Context<T | null>): T {
  const texts = useContext(context);
  if (!texts) throw new Error('No texts here');
  return texts;
}

type Words = Readonly<Record<string, unknown>>;

/** The texts with others in the place of some of them. */
export const withTexts = (texts: Texts, instead: Some<Texts>): Texts => replaced(texts, instead) as Texts;

function replaced(words: Words, instead: Words): Words {
  const both = Object.entries(instead).map(([name, other]) => {
    const word = words[name];
    return [name, isWords(word) && isWords(other) ? replaced(word, other) : other];
  });
  return { ...words, ...Object.fromEntries(both) };
}

const isWords = (word: unknown): word is Words => typeof word === 'object' && word !== null;
