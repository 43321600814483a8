/**
 * Texts that are loaded with a part of the screen, not before the list of keys. Undefined: a host gave texts in another
 * language, and a panel shows no text in a language that it was not given.
 */
export const laterTexts =
  <T>(english: T, german: T) =>
  (language: string): T | undefined =>
    new Map([
      ['en', english],
      ['de', german],
    ]).get(language);
