/** Whether one text becomes the other by one letter put in, left out or replaced, by two that change places, or by case. */
export function isOneSlipApart(text: string, meant: string): boolean {
  const [short, long] = [text.toUpperCase(), meant].sort((a, b) => a.length - b.length) as [string, string];
  if (short === long) return text !== meant;
  if (long.length - short.length > 1) return false;
  const at = [...long].findIndex((letter, index) => letter !== short[index]);
  const [shortRest, longRest] = [short.slice(at), long.slice(at)];
  if (short.length < long.length) return shortRest === longRest.slice(1);
  const isSwapped = shortRest[0] === longRest[1] && shortRest[1] === longRest[0];
  return shortRest.slice(1) === longRest.slice(1) || (isSwapped && shortRest.slice(2) === longRest.slice(2));
}
