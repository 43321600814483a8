import { ApiKeysPanel } from '@latchkey/panel';
import '@latchkey/panel/style.css';
import { createRoot } from 'react-dom/client';
import { getToken } from './platform-login';

/** A platform's page, of another origin, with the panel. */
createRoot(document.getElementById('root')!).render(
  <ApiKeysPanel apiBaseUrl={new URLSearchParams(location.search).get('api') ?? ''} getToken={getToken} />,
);
