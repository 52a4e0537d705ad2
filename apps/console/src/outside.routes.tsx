import type { PagePath } from '@crm/contracts/page-paths';
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

type Pages = typeof import('./outside.pages.js');
const lazily = (name: keyof Pages) => lazyRouteComponent(() => import('./outside.pages.js'), name);

/** Where people sign in, what mails link to, and what apps ask for: outside the frame of the workspace. */
export function outsideRoutes<Root extends AnyRoute>(root: Root) {
  const layout = createRoute({ getParentRoute: () => root, id: 'sign-in', component: lazily('SignInLayout') });
  const at = <Path extends PagePath>(path: Path, name: keyof Pages) =>
    createRoute({ getParentRoute: () => layout, path, component: lazily(name) });
  return layout.addChildren([
    at('/account', 'SignInPage'),
    at('/account/sign-in', 'SignInPage'),
    at('/account/signed-in', 'ReturnFromProvider'),
    at('/account/forgot-password', 'ForgotPassword'),
    at('/account/authorize', 'Consent'),
    at('/verify-email', 'LinkPage'),
    at('/password-reset', 'LinkPage'),
    at('/invitation', 'LinkPage'),
    at('/email-change', 'LinkPage'),
    at('/email-change/undo', 'LinkPage'),
    at('/undo-link', 'LinkPage'),
  ]);
}
