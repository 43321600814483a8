import './begin';
import './styles';
import './page/page.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { begunAnswers } from './api/begun';
import { App } from './page/App';
import { colorSchemeManager } from './page/color-scheme';
import { type Language, loadLanguage } from './page/language';
import { PageTextsContext, TextsContext } from './texts';
import { styleNonce } from './panel/PanelProviders';
import { cssVariables, theme } from './theme';

// Usually ran already, by itself. Its requests must be under way before the first render.

// Not `await`, with which the bundler would split this chunk into many.
void Promise.all([loadLanguage(), begunAnswers()]).then(show, reportFailure);

function show([{ panel, page }]: [Language, void]): void {
  document.documentElement.lang = panel.language;
  document.title = page.documentTitle;
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemeManager}
        getStyleNonce={styleNonce}
      >
        <TextsContext value={panel}>
          <PageTextsContext value={page}>
            <App />
          </PageTextsContext>
        </TextsContext>
      </MantineProvider>
    </StrictMode>,
  );
}

/** Without its texts the page can show nothing else. A new release may have replaced them. */
function reportFailure(): void {
  document.getElementById('root')!.textContent = 'This page could not be loaded completely. Please reload it.';
}
