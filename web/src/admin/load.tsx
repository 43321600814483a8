import { AllKeysTab } from './AllKeysTab';
import { AdminTextsContext } from './texts';

const english = () => import('../texts/english/admin');

/** By the language of the page. As for the rest of the screen, each is a chunk of its own. */
const LANGUAGES: Readonly<Record<string, typeof english>> = { de: () => import('../texts/german/admin') };

/** The tab, with its texts. */
export async function loadAllKeys() {
  const { admin } = await (LANGUAGES[document.documentElement.lang] ?? english)();
  return () => (
    <AdminTextsContext value={admin}>
      <AllKeysTab />
    </AdminTextsContext>
  );
}
