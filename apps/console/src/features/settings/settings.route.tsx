import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const settingsRoutes = <Shell extends AnyRoute>(shell: Shell) => [
  createRoute({
    getParentRoute: () => shell,
    path: '/settings/workspace',
    component: lazyRouteComponent(() => import('./workspace.page.js')),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/settings/picklists',
    component: lazyRouteComponent(() => import('./picklists.page.js')),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/settings/people',
    component: lazyRouteComponent(() => import('./people.page.js')),
  }),
];
