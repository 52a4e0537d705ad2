// First of all: nothing else of the page shall see an address with a token.
import './features/sign-in/page-address.js';
import '@crm/ui/kit.css';
import '@crm/records-ui/styles.css';
import './console.css';
import { Kit, shareNonce } from '@crm/ui';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ShellPartsContext } from './features/shell/shell-parts.js';
import { LanguageProvider } from './language.js';
import { createConsoleRouter } from './router.js';
import { Session } from './session/session.js';
import { SessionContext } from './session/session-context.js';

shareNonce();
const session = Session.ofBrowser();
const router = createConsoleRouter();
// What is opened by a click is no part of the first view.
const UserMenu = lazy(() => import('./features/account/user-menu.js'));
const SignInAgain = lazy(async () => ({ default: (await import('./outside.pages.js')).SignInAgain }));
const shellParts = { UserMenu, SignInAgain };

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <LanguageProvider>
      <Kit keepsScheme>
        <SessionContext value={session}>
          <ShellPartsContext value={shellParts}>
            <RouterProvider router={router} />
          </ShellPartsContext>
        </SessionContext>
      </Kit>
    </LanguageProvider>
  </StrictMode>,
);
