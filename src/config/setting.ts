import { accessSync, constants, readFileSync } from 'node:fs';
import type { EnvReader } from './env-reader.js';
import { hasUser, isLoopbackUrl, placeOf } from './network-config.js';

interface Facts<T> {
  readonly means: string;
  /** An example. */
  readonly like?: string;
  /** What the documentation names as the default, where no value is one. */
  readonly or?: string;
  readonly isSecret?: boolean;
  /** What the log may show. By default it shows the value, of a URL the place, of a secret how many there are. */
  readonly inLog?: (value: T) => unknown;
  /** What is wrong with a value that was set. */
  readonly problem?: (value: T) => string | undefined;
  /** Which whole numbers are valid, for the schema of the chart. */
  readonly range?: readonly [least: number, most: number];
  /** Which words are valid. */
  readonly words?: readonly string[];
  /** The variables that must be set, too, unless this one is off. */
  readonly needs?: readonly string[];
}

/** One variable: how its text becomes a value, and what the documentation says about it. */
export class Setting<T> {
  /** @param fallback the text of the default, if it has one */
  constructor(
    private readonly read: (env: EnvReader, name: string) => T,
    readonly facts: Facts<T>,
    readonly fallback = '',
  ) {}

  valueIn(env: EnvReader, name: string): T {
    const { isSecret, problem, inLog = (shown: T) => (isSecret ? countOf(shown) : shown) } = this.facts;
    const value = this.read(env, name);
    const wrong = env.text(name) === undefined ? undefined : problem?.(value);
    if (wrong !== undefined) env.wrong(name, wrong);
    env.shown[name] = inLog(value);
    return value;
  }
}

function countOf(value: unknown): unknown {
  return Array.isArray(value) ? value.length : value && 1;
}

export function text(facts: Facts<string | undefined>): Setting<string | undefined> {
  return new Setting((env, name) => env.text(name), facts);
}

export function textOr(fallback: string, facts: Facts<string>): Setting<string> {
  return new Setting((env, name) => env.text(name) ?? fallback, facts, fallback);
}

export function wholeNumber<F extends number | undefined>(
  fallback: F,
  range: readonly [least: number, most: number],
  facts: Facts<number | F>,
) {
  const read = (env: EnvReader, name: string): number | F => {
    const [least, most] = range;
    const value = env.text(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    env.wrong(name, `must be a whole number from ${least} to ${most}`);
    return fallback;
  };
  return new Setting(read, { range, ...facts }, fallback?.toString());
}

export function oneOf<T extends string, F extends T | undefined>(
  fallback: F,
  words: readonly T[],
  facts: Facts<T | F>,
) {
  const read = (env: EnvReader, name: string): T | F => {
    const value = (env.text(name) ?? fallback) as T | F;
    if (value !== undefined && !words.includes(value)) env.wrong(name, `must be one of ${words.join(', ')}`);
    return value;
  };
  return new Setting(read, { words, ...facts }, fallback);
}

export function onOrOff(means: string, needs: readonly string[] = []): Setting<boolean> {
  const words = oneOf('off', ['on', 'off'], { means });
  const facts = { means, words: ['on', 'off'], needs, inLog: (isOn: boolean) => (isOn ? 'on' : 'off') };
  return new Setting((env, name) => words.valueIn(env, name) === 'on', facts, 'off');
}

export function url(facts: Facts<string | undefined>, protocols = ['http:', 'https:']) {
  const read = (env: EnvReader, name: string) => {
    const value = env.text(name);
    return value && env.checkedUrl(name, value, protocols);
  };
  return new Setting(read, { inLog: placeOf, ...facts });
}

/**
 * Requires https, because anybody on the network path can change what http transfers. `fetch` takes no URL with a
 * password, and its error repeats that.
 */
export function secureUrl(facts: Facts<string | undefined>) {
  const problem = (value = '') => {
    if (!/^https:/i.test(value) && !isLoopbackUrl(value))
      return 'must start with https://, unless it is on a loopback address';
    return hasUser(value) ? 'must not contain a user or a password' : undefined;
  };
  return url({ ...facts, problem });
}

/** @param parse returns the item, or throws an Error whose message may be shown */
export function list<T>(parse: (word: string, env: EnvReader) => T, facts: Facts<readonly T[]>) {
  return new Setting((env, name): readonly T[] => env.list(name, (word) => parse(word, env)) ?? [], facts);
}

export function file(facts: Facts<string | undefined>): Setting<string | undefined> {
  return new Setting(readableFile, facts);
}

function readableFile(env: EnvReader, name: string): string | undefined {
  const path = env.text(name);
  try {
    if (path !== undefined) accessSync(path, constants.R_OK);
  } catch (error) {
    env.wrong(name, `names a file that can't be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
  return path;
}

/** @param read returns undefined if the content is not `form` */
function json<T>(
  form: string,
  read: (value: unknown, content: string, env: EnvReader, name: string) => T | undefined,
  facts: Facts<T | undefined>,
): Setting<T | undefined> {
  const readFile = (env: EnvReader, name: string): T | undefined => {
    const path = readableFile(env, name);
    if (path === undefined) return undefined;
    try {
      const content = readFileSync(path, 'utf8');
      const value = read(JSON.parse(content), content, env, name);
      if (value !== undefined) return value;
    } catch {
      // Reported below. If the file could not be read, that is already reported.
    }
    env.wrong(name, `names a file that does not contain ${form}`);
    return undefined;
  };
  return new Setting(readFile, facts);
}

/** A file with a JSON object that names a list for each of its members. @param parse an entry of such a list */
export function jsonLists<T>(
  parse: (entry: unknown) => T,
  facts: Facts<ReadonlyMap<string, readonly T[]> | undefined>,
) {
  const read = (members: unknown, content: string, env: EnvReader, name: string) => {
    if (typeof members !== 'object' || members === null || Array.isArray(members)) return undefined;
    const lists = Object.entries(members).map(([member, entries]): [string, T[]] => {
      const line = content.slice(0, content.indexOf(JSON.stringify(member))).split('\n').length;
      const place = `for ${JSON.stringify(member.slice(0, 64))} on line ${line}`;
      try {
        if (Array.isArray(entries)) return [member, entries.map(parse)];
        env.wrong(name, `has no list ${place}`);
      } catch (error) {
        env.wrong(name, `has a wrong entry ${place}: it ${(error as Error).message}`);
      }
      return [member, []];
    });
    return new Map(lists);
  };
  return json('a JSON object', read, { inLog: (lists) => lists?.size, ...facts });
}

/** The entries of a file with a JSON array. @param parse as for `list` */
export function jsonFile<T>(parse: (entry: unknown) => T, facts: Facts<readonly T[] | undefined>) {
  const read = (entries: unknown, content: string, env: EnvReader, name: string) =>
    Array.isArray(entries) ? env.entries(name, entries, parse, (index) => lineOf(content, index)) : undefined;
  return json('a JSON array', read, { inLog: countOf, ...facts });
}

/** On which line of a JSON array this entry begins. */
function lineOf(content: string, index: number): number {
  let [depth, entry] = [0, 0];
  for (const { 0: token, index: at } of content.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]|[^\s"[\]{},]+/g)) {
    if (depth === 1 && token === ',') entry += 1;
    else if (depth === 1 && entry === index) return content.slice(0, at).split('\n').length;
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
  }
  return 1;
}
