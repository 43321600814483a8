import { AllKeysTab } from './AllKeysTab';
import { AuditTab } from './AuditTab';
import { AdminTextsContext } from '../texts';

const english = () => import('../texts/english/admin');

/** By the language of the page. As for the rest of the screen, each is a chunk of its own. */
const LANGUAGES: Readonly<Record<string, typeof english>> = { de: () => import('../texts/german/admin') };

/** The tabs of administrators, with their texts. */
export async function loadAdministration() {
  const { admin } = await (LANGUAGES[document.documentElement.lang] ?? english)();
  return ({ tab }: { readonly tab: 'all-keys' | 'audit' }) => (
    <AdminTextsContext value={admin}>{tab === 'audit' ? <AuditTab /> : <AllKeysTab />}</AdminTextsContext>
  );
}
