import { Choices, shrink } from './choices.js';
import { CORRECT, type Parts } from './parts.js';
import { type ThemeName, World } from './world.js';

export interface Search {
  readonly parts?: Partial<Parts>;
  readonly theme?: ThemeName | undefined;
  readonly from?: number | undefined;
  readonly schedules: number;
}

export interface Found {
  /** How many schedules ran. */
  readonly ran: number;
  readonly grants: number;
  readonly grantsFromLeases: number;
  /** The choices of the first schedule with a violation. */
  readonly failing: readonly number[] | undefined;
}

/** Runs one schedule for each seed, up to the first violation. */
export function search({ parts, theme, from = 0, schedules }: Search): Found {
  const used = { ...CORRECT, ...parts };
  let [grants, grantsFromLeases] = [0, 0];
  for (let ran = 1; ran <= schedules; ran += 1) {
    const choices = Choices.seeded(from + ran - 1);
    const { checker } = new World(choices, used, { theme }).run();
    grants += checker.grants;
    grantsFromLeases += checker.grantsFromLeases;
    if (checker.violation) return { ran, grants, grantsFromLeases, failing: choices.made };
  }
  return { ran: schedules, grants, grantsFromLeases, failing: undefined };
}

/** The shortest schedule that was found to fail in the same way, as a story. */
export function storyOf(failing: readonly number[], { parts, theme }: Omit<Search, 'schedules'> = {}): string {
  const used = { ...CORRECT, ...parts };
  const run = (made: readonly number[], hasStory = false) =>
    new World(Choices.replayed(made), used, { theme, hasStory }).run();
  const short = shrink(failing, (made) => run(made).checker.violation !== undefined);
  const { story = [], checker } = run(short, true);
  return [...story, `VIOLATION: ${checker.violation}`].join('\n');
}
