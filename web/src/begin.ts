import { begin } from './api/begun';
import { applyColorScheme } from './page/color-scheme';
import { languageFor, loadLanguage } from './page/language';
import { prepareFormats } from './time/format';

// Runs before the rest of the script has arrived.
applyColorScheme();
begin('/v1/session');
begin('/v1/api-keys');
// A failure is noticed where the language is needed.
loadLanguage().catch(() => undefined);
prepareFormats(languageFor(navigator.languages));
