import { accessSync, constants, readFileSync } from 'node:fs';
import { credentialsNeedEncoding, isOneTypoApart } from './mistakes.js';
import { isLoopbackUrl } from './network-config.js';

/** Reads variables one by one and collects all problems, so that one start reports all of them. */
export class EnvReader {
  readonly problems: string[] = [];
  /** Probable mistakes that do not stop the start. */
  readonly warnings: string[] = [];
  private readonly known = new Set<string>();

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /** Only the first problem of each variable is kept. */
  wrong(name: string, problem: string): void {
    if (this.problems.some((line) => line.startsWith(`${name} `))) return;
    this.problems.push(`${name} ${problem}`);
  }

  warn(name: string, danger: string): void {
    this.warnings.push(`${name} ${danger}`);
  }

  /** Warns of variables that are not ours but differ from one of ours by a single letter. */
  warnOfMisspelt(): void {
    for (const name of Object.keys(this.env).filter((each) => !this.known.has(each) && this.env[each])) {
      const similar = [...this.known].find((one) => isOneTypoApart(name, one));
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
    this.known.add(name);
    return this.env[name]?.trim() || undefined;
  }

  /** An empty text means "none" for a list with a default. */
  isSetEmpty(name: string): boolean {
    return this.env[name]?.trim() === '';
  }

  matching(name: string, fallback: string, pattern: RegExp, problem: string): string {
    const value = this.text(name) ?? fallback;
    if (!pattern.test(value)) this.wrong(name, problem);
    return value;
  }

  oneOf<T extends string>(name: string, fallback: T, values: readonly T[]): T {
    const value = (this.text(name) ?? fallback) as T;
    if (!values.includes(value)) this.wrong(name, `must be one of ${values.join(', ')}`);
    return value;
  }

  /** Off by default. */
  onOrOff(name: string): boolean {
    return this.oneOf(name, 'off', ['on', 'off']) === 'on';
  }

  wholeNumber<T>(name: string, fallback: T, most: number, least = 1): number | T {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    this.wrong(name, `must be a whole number from ${least} to ${most}`);
    return fallback;
  }

  port(name: string, fallback: number): number {
    return this.wholeNumber(name, fallback, 65_535, 0);
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : this.checkedUrl(name, value, protocols);
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

  /** Requires https, because anybody on the network path can change what http transfers. */
  secureUrl(name: string): string | undefined {
    const value = this.url(name, ['http:', 'https:']);
    if (value !== undefined && !/^https:/i.test(value) && !isLoopbackUrl(value)) {
      this.wrong(name, 'must start with https://, unless it is on a loopback address');
    }
    return value;
  }

  words(name: string): string[] {
    return (this.text(name) ?? '').split(',').flatMap((word) => word.trim() || []);
  }

  /** @param parse returns the item, or throws an Error whose message may be shown */
  list<T>(name: string, parse: (word: string) => T): T[] | undefined {
    return this.text(name) === undefined ? undefined : this.entries(name, this.words(name), parse);
  }

  /**
   * The entries of a file with a JSON array.
   * @param parse returns the entry, or throws an Error whose message may be shown
   */
  jsonFile<T>(name: string, parse: (entry: unknown) => T): T[] | undefined {
    const path = this.file(name);
    if (path === undefined) return undefined;
    try {
      const entries: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (Array.isArray(entries)) return this.entries(name, entries, parse);
    } catch {
      // Reported below. If the file could not be read, that is already reported.
    }
    this.wrong(name, 'names a file that does not contain a JSON array');
    return undefined;
  }

  /** The path of a readable file. */
  file(name: string): string | undefined {
    const path = this.text(name);
    try {
      if (path !== undefined) accessSync(path, constants.R_OK);
    } catch (error) {
      this.wrong(name, `names a file that can't be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    }
    return path;
  }

  private entries<W, T>(name: string, entries: readonly W[], parse: (entry: W) => T): T[] {
    return entries.flatMap((entry, index) => {
      try {
        return [parse(entry)];
      } catch (error) {
        this.wrong(name, `entry ${index + 1} ${(error as Error).message}`);
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
