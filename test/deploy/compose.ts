import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import type { Tree } from './chart.js';

type Environment = Readonly<Record<string, string>>;

/** A value that replaces that of the file before, instead of being merged with it. */
class Override {
  constructor(readonly value: unknown) {}
}

/**
 * Reads Compose files like Docker Compose: with variables filled in, and each file merged into the ones before.
 * @param env the environment and .env
 * @throws if a required variable is not set
 */
export function readCompose(files: readonly string[], env: Environment = {}): Tree {
  const customTags = (['seq', 'map'] as const).map((collection) => ({
    tag: '!override',
    collection,
    resolve: (node: unknown) => new Override((node as { toJSON(): unknown }).toJSON()),
  }));
  const trees = files.map((file) => parse(interpolate(textOf(file), env), { merge: true, customTags }) as Tree);
  return trees.reduce((under, over) => layOver(under, over) as Tree);
}

/** The environment of a container. A name without a value is passed on if it is set. */
export function environmentOf({ environment }: Tree, env: Environment = {}): Record<string, string> {
  const pairs = Object.entries(environment as Tree).map(([name, value]) => [name, value ?? env[name]]);
  return Object.fromEntries(
    pairs.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]),
  );
}

/** The other services that share a network with one, sorted. */
export function reachableFrom(name: string, services: Readonly<Record<string, Tree>>): string[] {
  const networksOf = ({ networks = ['default'] }: Tree): string[] =>
    Array.isArray(networks) ? networks : Object.keys(networks as Tree);
  const own = networksOf(services[name]!);
  const others = Object.entries(services).filter(([other]) => other !== name);
  return others
    .filter(([, other]) => networksOf(other).some((network) => own.includes(network)))
    .map(([other]) => other)
    .toSorted();
}

/** The names of the variables that a file fills in or passes on. */
export function variablesOf(file: string): string[] {
  const text = textOf(file);
  return [...text.matchAll(/\$\{(\w+)|^ {4}([A-Z_]+):$/gm)].map(([, filledIn, passedOn]) => (filledIn ?? passedOn)!);
}

const textOf = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/^\s*#.*$/gm, '');

/** `${NAME}`, `${NAME:-default}`, `${NAME:+instead}` and `${NAME:?why it is needed}`, the innermost first. */
function interpolate(text: string, env: Environment): string {
  const filled = text.replaceAll(/\$\{(\w+)(?::([-+?])([^${}]*))?\}/g, (_, name: string, kind?: string, word = '') => {
    const value = env[name] ?? '';
    if (kind === '?' && value === '') throw new Error(`${name} ${word}`);
    return kind === '+' ? value && word : value || (kind === '-' ? word : '');
  });
  return filled === text ? text : interpolate(filled, env);
}

function layOver(under: unknown, over: unknown): unknown {
  if (over instanceof Override) return over.value;
  if (Array.isArray(under) && Array.isArray(over)) return [...(under as unknown[]), ...(over as unknown[])];
  if (!isMap(under) || !isMap(over)) return over;
  const names = [...new Set([...Object.keys(under), ...Object.keys(over)])];
  return Object.fromEntries(names.map((name) => [name, name in over ? layOver(under[name], over[name]) : under[name]]));
}

function isMap(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Override);
}
