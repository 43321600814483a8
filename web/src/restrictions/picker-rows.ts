import { isCovered } from '../../../src/domain/accounts/permission';
import { byResource, meaningOf } from '../key/limits';
import type { Texts } from '../texts';
import { wordList } from '../time/format';

export interface PickerRow {
  readonly resource: string;
  readonly actions: readonly string[];
  /** One of many, which a person typed: it is below the row of all of them. */
  readonly isInstance: boolean;
}

/**
 * A row for each resource of the owner, followed by its instances.
 * @param items what the owner may give a key of this level
 * @param instances resources that may be below those of the owner
 */
export function pickerRows(items: readonly string[], instances: readonly string[]): PickerRow[] {
  const owned = new Set(items);
  const resources = byResource(items);
  const below = (resource: string) =>
    [...new Set(instances)]
      .filter((instance) => !resources.has(instance) && parentOf(instance, resources) === resource)
      .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const instanceRow = (resource: string): PickerRow => {
    const actions = ['read', 'write'].filter((action) => isCovered(`${resource}:${action}`, owned));
    return { resource, actions, isInstance: true };
  };
  return [...resources].flatMap(([resource, actions]) => [
    { resource, actions, isInstance: false },
    ...below(resource).map(instanceRow),
  ]);
}

/** What is chosen, in the order of the table, followed by what has no row there. */
export function inTableOrder(chosen: readonly string[], items: readonly string[]): readonly string[] {
  const rows = pickerRows(items, [...byResource(chosen).keys()]);
  const all = rows.flatMap(({ resource, actions }) => actions.map((action) => `${resource}:${action}`));
  return [
    ...all.filter((permission) => chosen.includes(permission)),
    ...chosen.filter((permission) => !all.includes(permission)),
  ];
}

/** The IDs of single ones of a resource that these permissions name. */
export function instancesIn(permissions: readonly string[], resource: string): readonly string[] {
  const below = [...byResource(permissions).keys()].filter((each) => each.startsWith(`${resource}/`));
  return below.map((each) => each.slice(resource.length + 1));
}

function parentOf(resource: string, among: ReadonlyMap<string, unknown>): string | undefined {
  const slash = resource.lastIndexOf('/');
  if (slash < 0) return undefined;
  const parent = resource.slice(0, slash);
  return among.has(parent) ? parent : parentOf(parent, among);
}

/** The most letters for which a sentence has room. */
const MAX_LETTERS = 40;

/** Some permissions in words, such as "read and write systems". Empty where there are none, or too many. */
export function fewRights(permissions: readonly string[], texts: Texts): string {
  const resourcesOf = new Map<string, string[]>();
  for (const [resource, actions] of byResource(permissions)) {
    const same = actions.toSorted().join(' ');
    resourcesOf.set(same, [...(resourcesOf.get(same) ?? []), resource]);
  }
  const parts = [...resourcesOf].map(([same, resources]) => meaningOf(resources, same.split(' '), texts));
  const words = wordList(parts, texts.language);
  return words.length > MAX_LETTERS ? '' : words;
}
