import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

interface Copy {
  /** The stage that it copies from; undefined for the build's context. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The stages of our Dockerfile. It has no heredocs, so they are not parsed. */
export function readStages(): Stage[] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll(/^#.*\n/gm, '');
  const lines = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  const defaults: Record<string, string> = {};
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line)!;
    const [, from, as] = /^(\S+) AS (\S+)$/.exec(rest!) ?? [];
    if (name === 'FROM') stages.push({ name: as!, from: withDefaults(from!, defaults), instructions: [] });
    else if (name === 'ARG') defaults[rest!.split('=')[0]!] ??= rest!.split('=')[1] ?? '';
    else
      stages.at(-1)!.instructions.push({ name: name!, text: name === 'LABEL' ? withDefaults(rest!, defaults) : rest! });
  }
  return stages;
}

export const textsOf = (stage: Stage, name: string): string[] =>
  stage.instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);

export function copiesOf(stage: Stage): Copy[] {
  return textsOf(stage, 'COPY').map((text) => {
    const words = text.split(' ');
    const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
    return { from, sources: words.slice(0, -1), target: words.at(-1)! };
  });
}

/** The variables that ENV sets. */
export const environmentOf = (stage: Stage): Record<string, string> =>
  Object.fromEntries(textsOf(stage, 'ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('='))));

/** The labels of an image that is built without arguments. */
export const labelsOf = (stage: Stage): Record<string, string> =>
  Object.fromEntries(
    textsOf(stage, 'LABEL').flatMap((text) =>
      [...text.matchAll(/(\S+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
  );

const withDefaults = (text: string, defaults: Record<string, string>) =>
  text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => defaults[name] ?? '');
