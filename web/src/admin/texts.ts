import type { OwnerEventType } from '../../../src/domain/audit/audit-event';
import { createContext } from 'react';
import { useTextsOf, withTexts, type AdminTexts, type Texts } from '../texts';

export const AdminTextsContext = createContext<AdminTexts | null>(null);
export const useAdminTexts = (): AdminTexts => useTextsOf(AdminTextsContext);

/** The panel's texts, where those that speak to the owner of a key speak about the owner. */
export function aboutOthers(texts: Texts, { others, audit }: AdminTexts): Texts {
  const types: Readonly<Record<OwnerEventType, string>> = audit.types;
  const ofAccount = { ...types, ...texts.activity.ofAccount };
  return withTexts(texts, { ...others, activity: { ...others.activity, ofAccount } });
}
