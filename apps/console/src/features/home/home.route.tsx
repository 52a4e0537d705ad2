import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const homeRoute = <Shell extends AnyRoute>(shell: Shell) =>
  createRoute({
    getParentRoute: () => shell,
    path: '/',
    component: lazyRouteComponent(() => import('./home.page.js')),
  });
