// First of all: nothing else of the page shall see an address with a token.
import './features/sign-in/place.js';
import '@crm/ui/kit.css';
import '@crm/records-ui/styles.css';
import './console.css';
import { Kit, shareNonce } from '@crm/ui';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LanguageProvider } from './language.js';
import { createConsoleRouter } from './router.js';
import { Session } from './session/session.js';
import { SessionContext } from './session/session-context.js';

shareNonce();
const session = Session.ofBrowser();
const router = createConsoleRouter();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <LanguageProvider>
      <Kit keepsScheme>
        <SessionContext value={session}>
          <RouterProvider router={router} />
        </SessionContext>
      </Kit>
    </LanguageProvider>
  </StrictMode>,
);
