import type { PageTexts, Texts } from '../texts';

/** Every text of the screen in one language. */
export interface Language {
  readonly panel: Texts;
  readonly page: PageTexts;
}

/** Each language is a chunk of its own, so that people load only theirs. The first is for everyone else. */
const LANGUAGES = {
  en: async (): Promise<Language> => import('../texts/english/screen'),
  de: async (): Promise<Language> => import('../texts/german/screen'),
};

type Code = keyof typeof LANGUAGES;

/** The first language of the browser that the screen has. */
export function languageFor(wanted: readonly string[]): Code {
  const codes = Object.keys(LANGUAGES) as [Code, ...Code[]];
  const mains = wanted.map((each) => each.toLowerCase().split('-')[0]);
  return mains.map((main) => codes.find((code) => code === main)).find((code) => code !== undefined) ?? codes[0];
}

export const loadLanguage = (): Promise<Language> => LANGUAGES[languageFor(navigator.languages)]();
