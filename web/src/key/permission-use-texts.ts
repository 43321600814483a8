import { laterTexts } from '../texts/later';
import type { NoProposal } from '../../../src/domain/usage/narrower';

const permissionsOf = (used: number, of: number) => `${used} of ${of} ${of === 1 ? 'permission' : 'permissions'}`;
const inGerman = (used: number, of: number) => `${used} von ${of} ${of === 1 ? 'Berechtigung' : 'Berechtigungen'}`;

const english = {
  title: 'What it uses',
  summary: (used: number, of: number, since: string) => `Used ${permissionsOf(used, of)} since ${since}.`,
  /** A new key that was not used yet has the record of the key that it replaces. */
  inherited: (used: number, of: number, since: string) =>
    `The key that it replaces used ${permissionsOf(used, of)} since ${since}.`,
  share: (percent: string, day: string) => `${percent} of its requests, last on ${day}`,
  none: 'No request was accepted yet.',
  /** Requests that no permission of the key stands for. */
  other: { '': 'needed no permission', unknown: 'under a lease, permission unknown', other: 'all other permissions' },
  leaveOut: (count: number, since: string) =>
    `Leave out ${count} ${count === 1 ? 'permission' : 'permissions'} that it has not used since ${since}`,
  /** In the dialog that replaces the key. The permissions follow. */
  rotate:
    'You get a new key with the same name and fewer permissions. Put it in place of the old key. Nothing stops until the new key is first used. It keeps:',
  why: {
    early: (from: string) => `From ${from}, when 30 days are recorded, you can leave out here what it does not use.`,
    unclear: () => 'Some requests are not recorded by permission, so we can’t say what you could leave out.',
    unused: () => 'It used nothing in this time. Does anybody still need it?',
    all: () => 'It uses everything that it may do.',
  } satisfies Record<NoProposal, (from: string) => string>,
};

const german: typeof english = {
  title: 'Was er nutzt',
  summary: (used, of, since) => `Seit ${since} ${inGerman(used, of)} genutzt.`,
  inherited: (used, of, since) => `Der ersetzte Schlüssel hat seit ${since} ${inGerman(used, of)} genutzt.`,
  share: (percent, day) => `${percent} seiner Anfragen, zuletzt am ${day}`,
  none: 'Noch keine Anfrage wurde akzeptiert.',
  other: {
    '': 'brauchte keine Berechtigung',
    unknown: 'mit Lease, Berechtigung unbekannt',
    other: 'alle anderen Berechtigungen',
  },
  leaveOut: (count, since) =>
    count === 1
      ? `Die eine Berechtigung weglassen, die er seit ${since} nicht genutzt hat`
      : `${count} Berechtigungen weglassen, die er seit ${since} nicht genutzt hat`,
  rotate:
    'Sie erhalten einen neuen Schlüssel mit demselben Namen und weniger Berechtigungen. Ersetzen Sie damit den alten. Nichts endet, bevor der neue genutzt wird. Er behält:',
  why: {
    early: (from) => `Ab ${from} sind 30 Tage erfasst. Dann können Sie hier weglassen, was er nicht nutzt.`,
    unclear: () =>
      'Manche Anfragen sind nicht nach Berechtigung erfasst. Darum können wir nicht sagen, was Sie weglassen könnten.',
    unused: () => 'Er hat in dieser Zeit nichts genutzt. Braucht ihn noch jemand?',
    all: () => 'Er nutzt alles, was er darf.',
  },
};

export const permissionUseTexts = laterTexts(english, german);
