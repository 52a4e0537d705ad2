import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

/** Navigation and menu around every page of someone who is signed in. */
export const createShellRoute = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    id: 'shell',
    component: lazyRouteComponent(() => import('./shell.page.js')),
  });
