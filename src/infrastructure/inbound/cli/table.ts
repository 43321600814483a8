export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => [...row[column]!].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - [...cell].length))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}
