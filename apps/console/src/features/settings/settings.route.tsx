import type { PagePath } from '@crm/contracts/page-paths';
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export function settingsRoutes<Shell extends AnyRoute>(shell: Shell) {
  const at = <Path extends PagePath>(path: Path, page: Parameters<typeof lazyRouteComponent>[0]) =>
    createRoute({ getParentRoute: () => shell, path, component: lazyRouteComponent(page) });
  return [
    at('/settings/workspace', () => import('./workspace.page.js')),
    at('/settings/picklists', () => import('./picklists.page.js')),
    at('/settings/people', () => import('./people.page.js')),
  ];
}
