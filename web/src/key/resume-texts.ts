import { laterTexts } from '../texts/later';

const english = {
  action: 'Resume…',
  title: (name: string) => `Resume “${name}”?`,
  consequence: 'The key works again at once, for everything that has it.',
  submit: 'Resume key',
  done: (name: string) => `“${name}” works again`,
  still: (name: string) => `“${name}” stays paused by an administrator`,
};

const german: typeof english = {
  action: 'Fortsetzen…',
  title: (name) => `„${name}“ fortsetzen?`,
  consequence: 'Der Schlüssel funktioniert sofort wieder, für alles, was ihn hat.',
  submit: 'Schlüssel fortsetzen',
  done: (name) => `„${name}“ funktioniert wieder`,
  still: (name) => `„${name}“ bleibt pausiert, durch die Administration`,
};

/** Loaded with the menu and the dialogs. */
export const resumeTexts = laterTexts(english, german);
