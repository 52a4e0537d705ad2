import type { ListState } from '@crm/records-ui';
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

/** What the address of a list says; anything else in it is dropped. */
export interface ListSearch extends ListState {
  /** Whether a record is being created. */
  readonly new?: boolean;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

const readSearch = ({ q, sort, field, value, new: isNew }: Record<string, unknown>): ListSearch => ({
  q: textOf(q),
  sort: textOf(sort),
  field: textOf(field),
  value: textOf(value),
  ...(isNew === true ? { new: true } : {}),
});

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
      path: '/records/$object/$id',
      component: lazyRouteComponent(() => import('./record.page.js')),
    }),
  ] as const;
