import { begin } from './api/begun';
import { applyColorScheme } from './page/color-scheme';
import { loadLanguage } from './page/language';

// Runs before the rest of the script has arrived.
applyColorScheme();
begin('/v1/session');
begin('/v1/api-keys');
// A failure is noticed where the language is needed.
loadLanguage().catch(() => undefined);
