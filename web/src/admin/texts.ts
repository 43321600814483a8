import type { OwnerEventType } from '../../../src/domain/audit/audit-event';
import type { KeyOwner } from './types';
import { createContext } from 'react';
import { useTextsOf, type AdminTexts, type Texts } from '../texts';

export const AdminTextsContext = createContext<AdminTexts | null>(null);
export const useAdminTexts = (): AdminTexts => useTextsOf(AdminTextsContext);

/** The panel's texts, where those that speak to the owner of a key speak about the owner. */
export function aboutOthers(texts: Texts, { others, audit }: AdminTexts): Texts {
  const { details, restrictions, activity, create, rotate } = texts;
  const types: Readonly<Record<OwnerEventType, string>> = audit.types;
  return {
    ...texts,
    details: { ...details, ended: { ...details.ended, ...others.ended }, unknown: others.unknown },
    restrictions: { ...restrictions, yours: others.all },
    activity: {
      ...activity,
      ofAccount: { ...types, ...activity.ofAccount },
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
