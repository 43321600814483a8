import { accessSync, constants, readFileSync } from 'node:fs';
import { credentialsNeedEncoding, isOneSlipApart } from './mistakes.js';
import { isLoopbackUrl } from './network-config.js';

/** Reads variables one by one and collects what is wrong with them, so that one start reports all of it. */
export class EnvReader {
  readonly problems: string[] = [];
  /** What does not stop the start, and is likely a mistake. */
  readonly warnings: string[] = [];
  private readonly asked = new Set<string>();

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /** One line a variable: what is found first. */
  wrong(name: string, problem: string): void {
    if (this.problems.some((line) => line.startsWith(`${name} `))) return;
    this.problems.push(`${name} ${problem}`);
  }

  warn(name: string, danger: string): void {
    this.warnings.push(`${name} ${danger}`);
  }

  /** What is set, has been asked for by nobody, and nearly reads like what has been. */
  warnOfMisspelt(): void {
    for (const name of Object.keys(this.env).filter((each) => !this.asked.has(each) && this.env[each])) {
      const meant = [...this.asked].find((known) => isOneSlipApart(name, known));
      if (meant) this.warn(name, `is no variable of Latchkey, and nothing reads it: is ${meant} meant?`);
    }
  }

  /** @param when in which circumstances it is needed, unless always */
  missing(name: string, when?: string): string {
    this.wrong(name, when === undefined ? 'is missing' : `is missing: it is needed ${when}`);
    return '';
  }

  /** An empty variable is an unset one, as compose files and shells leave them. */
  text(name: string): string | undefined {
    this.asked.add(name);
    return this.env[name] === '' ? undefined : this.env[name];
  }

  /** As an empty list says "none" where the default is not empty. */
  isSetEmpty(name: string): boolean {
    return this.env[name] === '';
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

  /** Off unless it is set. */
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

  /** Answers the value, whether or not it is such a URL. */
  checkedUrl(name: string, value: string, protocols: readonly string[]): string {
    if (credentialsNeedEncoding(value)) {
      this.wrong(name, 'has a password that must be percent-encoded: # as %23, / as %2F, ? as %3F, @ as %40, % as %25');
    }
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    this.wrong(name, `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return value;
  }

  /** Where we read what we then believe: https, since anybody between two machines can change what http brings. */
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

  /** @param parse answers the item, or throws an Error whose message may be shown */
  list<T>(name: string, parse: (word: string) => T): T[] | undefined {
    return this.text(name) === undefined ? undefined : this.entries(name, this.words(name), parse);
  }

  /**
   * What a file with a JSON array lists.
   * @param parse answers the entry, or throws an Error whose message may be shown
   */
  jsonFile<T>(name: string, parse: (entry: unknown) => T): T[] | undefined {
    const path = this.file(name);
    if (path === undefined) return undefined;
    try {
      const entries: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (Array.isArray(entries)) return this.entries(name, entries, parse);
    } catch {
      // Reported below, unless the file could not be read, which is reported already.
    }
    this.wrong(name, 'names a file that holds no JSON array');
    return undefined;
  }

  /** The path of a file that can be read. */
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
