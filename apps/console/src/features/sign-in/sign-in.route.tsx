import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

/** Where people sign in, what mails link to, and what apps ask for: outside the frame of the workspace. */
export function signInRoutes<Root extends AnyRoute>(root: Root) {
  const layout = createRoute({
    getParentRoute: () => root,
    id: 'sign-in',
    component: lazyRouteComponent(() => import('./sign-in.layout.js')),
  });
  const at = <Path extends string>(path: Path, load: () => Promise<{ default: () => React.ReactNode }>) =>
    createRoute({ getParentRoute: () => layout, path, component: lazyRouteComponent(load) });
  const link = () => import('../links/link.page.js');
  return layout.addChildren([
    at('/account', () => import('./sign-in.page.js')),
    at('/account/sign-in', () => import('./sign-in.page.js')),
    at('/account/signed-in', () => import('./return-from-provider.js')),
    at('/account/forgot-password', () => import('./forgot-password.js')),
    at('/account/authorize', () => import('../consent/consent.js')),
    at('/verify-email', link),
    at('/password-reset', link),
    at('/invitation', link),
    at('/email-change', link),
    at('/email-change/undo', link),
    at('/undo-link', link),
  ]);
}
