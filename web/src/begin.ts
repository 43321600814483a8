import { begin } from './api/begun';
import { applyColorScheme } from './page/color-scheme';
import { languageFor, loadLanguage } from './page/language';
import { prepareFormats } from './time/format';

// Runs before the rest of the script has arrived.
applyColorScheme();
begin('/v1/session');
const account = new URLSearchParams(location.search).get('account');
begin(account ? `/v1/api-keys?${new URLSearchParams({ account })}` : '/v1/api-keys');
if (account) begin('/v1/accounts');
// A failure is noticed where the language is needed.
loadLanguage().catch(() => undefined);
prepareFormats(languageFor(navigator.languages));
