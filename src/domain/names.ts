/** Invisible characters, which can make two names look the same. Joiners stay between letters and within emoji. */
const HIDDEN =
  /(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d]|(?<![\p{L}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])|(?![\u200c\u200d\p{Variation_Selector}\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/gu;
const SHOWS_NOTHING = /^[\s\u2800\p{Default_Ignorable_Code_Point}]*$/u;

/** The name of a key or of a person, as it is stored. */
export function normalizeName(name: string): string {
  return name.replace(HIDDEN, '').normalize('NFC').trim();
}

export function showsNothing(name: string): boolean {
  return SHOWS_NOTHING.test(name);
}
