interface Props {
  readonly sentence: (word: string) => string;
  readonly word: string;
}

/** Any language may put the word anywhere: a stand-in that no text contains finds the place. */
const STAND_IN = '\uE000';

export function Emphasised({ sentence, word }: Props) {
  const [before, after] = sentence(STAND_IN).split(STAND_IN);
  return (
    <>
      {before}
      <strong>{word}</strong>
      {after}
    </>
  );
}
