import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

/** What people look after within the frame of the workspace. */
export const accountRoutes = <Shell extends AnyRoute>(shell: Shell) => [
  createRoute({
    getParentRoute: () => shell,
    path: '/account/security',
    validateSearch: ({ topic }: Record<string, unknown>) => (typeof topic === 'string' ? { topic } : {}),
    component: lazyRouteComponent(() => import('./security.page.js')),
  }),
];
