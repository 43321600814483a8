import './styles';
import './page/page.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './page/App';
import { applyColorScheme, colorSchemeManager } from './page/color-scheme';
import { styleNonce } from './panel/PanelProviders';
import { cssVariables, theme } from './theme';

applyColorScheme();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={styleNonce}
    >
      <App />
    </MantineProvider>
  </StrictMode>,
);
