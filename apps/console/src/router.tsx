import { EmptyNotice, useTexts } from '@crm/ui';
import { Anchor } from '@mantine/core';
import { createRootRoute, createRouter } from '@tanstack/react-router';
import { accountRoutes } from './features/account/account.route.js';
import { homeRoute } from './features/home/home.route.js';
import { recordRoutes } from './features/records/records.route.js';
import { settingsRoutes } from './features/settings/settings.route.js';
import { createShellRoute } from './features/shell/shell.route.js';
import { SHELL_TEXTS } from './features/shell/shell.texts.js';
import { outsideRoutes } from './outside.routes.js';

function PageNotFound() {
  const texts = useTexts(SHELL_TEXTS);
  return (
    <EmptyNotice
      title={texts.pageNotFound}
      text={texts.pageNotFoundText}
      action={<Anchor href="/">{texts.toStart}</Anchor>}
    />
  );
}

const root = createRootRoute({ notFoundComponent: PageNotFound });
const shell = createShellRoute(root);

/** What is within the shell needs someone who is signed in. */
const tree = root.addChildren([
  shell.addChildren([homeRoute(shell), ...recordRoutes(shell), ...accountRoutes(shell), ...settingsRoutes(shell)]),
  outsideRoutes(root),
]);

export const createConsoleRouter = () =>
  createRouter({ routeTree: tree, defaultPreload: 'intent', defaultPendingMs: 300, scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
