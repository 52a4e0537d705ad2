import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readSearch } from './list-search.js';

export const recordRoutes = <Shell extends AnyRoute>(shell: Shell) =>
  [
    createRoute({
      getParentRoute: () => shell,
      path: '/records/$object',
      validateSearch: readSearch,
      component: lazyRouteComponent(() => import('./list.page.js')),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/records/$object/bin',
      component: lazyRouteComponent(() => import('./bin.page.js')),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/records/$object/import',
      component: lazyRouteComponent(() => import('./import/import.page.js')),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/records/$object/$id',
      component: lazyRouteComponent(() => import('./record.page.js')),
    }),
  ] as const;
