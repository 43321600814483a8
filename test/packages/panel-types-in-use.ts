/** Correct and wrong uses of the panel's types. If a type became `any`, the expected errors would be missing. */
export const panelTypesInUse = `
import { ApiKeysPanel, english, german, type ApiKeysPanelProps, type FreshSignIn, type Texts } from '@latchkey/panel';

export const getToken = (fresh?: FreshSignIn): string => {
  // @ts-expect-error it is a number of seconds
  fresh?.maxAgeSeconds.toUpperCase();
  return (fresh?.acrValues ?? []).join(' ');
};
export const own: Texts = { ...english, language: 'fr', keys: { ...english.keys, activeOf: (active, most) => active + '/' + most } };
// @ts-expect-error words are missing
export const tooFew: Texts = { language: 'de' };
// @ts-expect-error no such property
export const unknown: ApiKeysPanelProps = { apiBaseUrl: '', words: own };
// @ts-expect-error the address is missing
export const nowhere = <ApiKeysPanel />;
export const panel = <ApiKeysPanel apiBaseUrl="" getToken={getToken} texts={german} colorScheme="dark" />;
export const changed = <ApiKeysPanel apiBaseUrl="" texts={{ ...german, help: own.help }} />;
`;
