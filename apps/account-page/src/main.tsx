import '@crm/ui/styles.css';
import './page.css';
import { applyTheme, LocaleProvider, languageOf } from '@crm/ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { takePlace } from './place.js';
import { SessionProvider } from './session.js';

// First of all: nothing else of the page shall see an address with a token.
const place = takePlace(window);
const root = document.getElementById('root') as HTMLElement;
applyTheme(document.documentElement, {});
document.documentElement.lang = languageOf(navigator.language);

createRoot(root).render(
  <StrictMode>
    <LocaleProvider tag={navigator.language}>
      <SessionProvider>
        <App start={place} />
      </SessionProvider>
    </LocaleProvider>
  </StrictMode>,
);
