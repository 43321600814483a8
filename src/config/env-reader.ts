/** Reads variables one by one and collects all problems, so that one start reports all of them. */
export class EnvReader {
  readonly problems: string[] = [];
  /** Probable mistakes that do not stop the start. */
  readonly warnings: string[] = [];
  /** What the log may show of each variable that was read. */
  readonly shown: Record<string, unknown> = {};

  constructor(readonly env: NodeJS.ProcessEnv) {}

  /** Only the first problem of each variable is kept. */
  wrong(name: string, problem: string): void {
    if (this.problems.some((line) => line.startsWith(`${name} `))) return;
    this.problems.push(`${name} ${problem}`);
  }

  warn(name: string, danger: string): void {
    this.warnings.push(`${name} ${danger}`);
  }

  /** Warns of variables that are not ours but differ from one of ours by a single letter. */
  warnOfMisspelt(known: readonly string[]): void {
    for (const name of Object.keys(this.env).filter((each) => !known.includes(each) && this.env[each])) {
      const similar = known.find((one) => isOneTypoApart(name, one));
      if (similar) this.warn(name, `is not a variable of Latchkey and is ignored. Did you mean ${similar}?`);
    }
  }

  /** @param when the condition under which it is required; undefined: always */
  missing(name: string, when?: string): string {
    this.wrong(name, when === undefined ? 'is missing' : `is missing: it is needed ${when}`);
    return '';
  }

  /**
   * An empty variable counts as unset, because compose files and shells leave such variables. White space around a value is
   * none of it: files and secret stores add line ends.
   */
  text(name: string): string | undefined {
    return this.env[name]?.trim() || undefined;
  }

  /** Returns the value even if it is not such a URL. */
  checkedUrl(name: string, value: string, protocols: readonly string[]): string {
    if (credentialsNeedEncoding(value)) {
      this.wrong(name, 'has a password that must be percent-encoded: # as %23, / as %2F, ? as %3F, @ as %40, % as %25');
    }
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    const starts = protocols.map((protocol) => `${protocol}//`);
    const isBegun = starts.some((start) => value.startsWith(start));
    this.wrong(name, isBegun ? problemIn(value) : `must be a URL that starts with ${starts.join(' or ')}`);
    return value;
  }

  /** @param parse returns the item, or throws an Error whose message may be shown */
  list<T>(name: string, parse: (word: string) => T): T[] | undefined {
    const words = this.text(name)
      ?.split(',')
      .flatMap((word) => word.trim() || []);
    return words && this.entries(name, words, parse);
  }

  /** @param lineOf an entry of a file */
  entries<W, T>(name: string, entries: readonly W[], parse: (entry: W) => T, lineOf?: (index: number) => number): T[] {
    return entries.flatMap((entry, index) => {
      try {
        return [parse(entry)];
      } catch (error) {
        const line = lineOf ? ` on line ${lineOf(index)}` : '';
        this.wrong(name, `entry ${index + 1}${line} ${(error as Error).message}`);
        return [];
      }
    });
  }
}

/** What is wrong with a URL that begins as it should. */
function problemIn(url: string): string {
  if (/^[^:]*:\/\/(?:[^/?#]*@)?(?:[/?#]|$)/.test(url)) {
    return 'names no host. For a socket write localhost, and add ?host=/the/folder/of/the/socket';
  }
  return 'is no whole URL. In a file of variables, quote a value that contains #: it ends there otherwise';
}

/** A URL whose password contains a character that ends the host of a URL. */
const CUT = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#@]*[/?#].*@/i;

/** Whether the user or the password contains characters with a meaning in URLs, which must be percent-encoded. */
export function credentialsNeedEncoding(url: string): boolean {
  if (!URL.canParse(url)) return CUT.test(url);
  const { username, password, pathname, search, hash } = new URL(url);
  // `user:12#3@host` parses as host, port and the rest. A query may contain an @.
  if (username === '') return CUT.test(url) && `${pathname}${hash}`.includes('@');
  // `user:a@b/c@host` parses as the host `b`, which logs would show. In a query the @ is part of a value.
  if (`${pathname}${hash}`.includes('@') || /^\?[^=]*@/.test(search)) return true;
  return !isDecodable(username + password);
}

/** Whether each % in the text begins a percent-encoded character. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether two names are the same without one letter of each: one is inserted, replaced or moved, or only the case differs. */
export function isOneTypoApart(name: string, meant: string): boolean {
  if (name === meant || Math.abs(name.length - meant.length) > 1) return false;
  const shorter = (text: string) => [text, ...[...text].map((_, at) => text.slice(0, at) + text.slice(at + 1))];
  const known = shorter(meant);
  return shorter(name.toUpperCase()).some((each) => known.includes(each));
}
