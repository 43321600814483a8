import { createContext, useContext } from 'react';
import type { KeyOwner } from '../api/types';
import type { Texts } from '../texts';
import type { admin } from '../texts/english/admin';

/** Every text that only administrators see. English is the model: a language that lacks a text is a type error. */
export type AdminTexts = typeof admin;

export const AdminTextsContext = createContext<AdminTexts | null>(null);

export function useAdminTexts(): AdminTexts {
  const texts = useContext(AdminTextsContext);
  if (!texts) throw new Error('This hook works only within the tabs of administrators');
  return texts;
}

/** The panel's texts, where those that speak to the owner of a key speak about the owner. */
export function aboutOthers(texts: Texts, { others, audit }: AdminTexts): Texts {
  const { keys, details, restrictions, activity, create, rotate } = texts;
  return {
    ...texts,
    keys: { ...keys, revokedBy: { ...keys.revokedBy, ...others.revokedBy } },
    details: { ...details, ended: { ...details.ended, ...others.ended }, unknown: others.unknown },
    restrictions: { ...restrictions, yours: others.all },
    activity: {
      ...activity,
      ofAccount: { ...audit.types, ...activity.ofAccount },
      rejected: { ...activity.rejected, ...others.rejected },
      rejectedKey: { ...activity.rejectedKey, ...others.rejectedKey },
      revokedKey: { ...activity.revokedKey, ...others.revokedKey },
    },
    create: { ...create, ...others.create },
    rotate: { ...rotate, ended: others.alreadyEnded },
  };
}

/** An account may have neither name nor email, for example when it was deleted. */
export const nameOf = ({ displayName, email, id }: KeyOwner): string => displayName || email || id;
