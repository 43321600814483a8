import type { ApiKey } from '../api/types';
import type { Rotation } from './status';
import type { Texts } from '../texts';

/** The texts for revoking a key. For the two keys of a rotation they differ. */
export function revokeWords({ name, id }: ApiKey, rotation: Rotation | undefined, isLeaked: boolean, texts: Texts) {
  const { revoke, rotate } = texts;
  if (!rotation) {
    const { title, titleLeaked, consequence, confirm, submit } = revoke;
    return { title: (isLeaked ? titleLeaked : title)(name), consequence, warning: undefined, confirm, submit };
  }
  const { old, next } = rotation;
  const words = id === old.id ? rotate.endOld : rotate.undo;
  const stays = id === old.id ? next : old;
  return {
    title: words.title(name),
    consequence: words.consequence(stays.prefix),
    warning: stays === next && next.lastUsedAt === null ? rotate.endOld.unused : undefined,
    confirm: words.confirm,
    submit: words.submit,
  };
}

/** The label in a menu and on a button. */
export function revokeAction({ id }: ApiKey, rotation: Rotation | undefined, { keys, rotate }: Texts): string {
  if (!rotation) return keys.revoke;
  return id === rotation.old.id ? rotate.endOld.action : rotate.undo.action;
}
