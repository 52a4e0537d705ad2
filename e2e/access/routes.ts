import type { AccessRule } from '@crm/access';
import { SERVICES, type ServiceName } from '@crm/contracts';
import { addresses } from '../platform/addresses.js';

/** A route as the OpenAPI document of its service declares it. */
export interface DocumentedRoute {
  readonly service: ServiceName;
  readonly method: string;
  /** With parameters as in the document: `/api/crm/leads/{id}`. */
  readonly path: string;
  readonly public: boolean;
  readonly access?: AccessRule;
}

interface Operation {
  readonly security: readonly object[];
  readonly 'x-access'?: AccessRule;
}

const urlOf = (service: string): string => addresses.services[service]?.url as string;

/** What the document of a service, asked at its own address, declares. The gateway has none of its own: it merges the others. */
async function documented(service: ServiceName): Promise<DocumentedRoute[]> {
  const answer = await fetch(`${urlOf(service)}/api/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, 'x-access': access }]) => ({
      service,
      method: method.toUpperCase(),
      path,
      public: security.length === 0,
      ...(access && { access }),
    })),
  );
}

/** Every route of every service, from the documents of the running platform. */
export async function documentedRoutes(): Promise<DocumentedRoute[]> {
  return (await Promise.all(SERVICES.filter((name) => name !== 'gateway').map(documented))).flat();
}

/** `GET /api/crm/leads/{id}`, for messages and tables. */
export const nameOf = ({ method, path }: Pick<DocumentedRoute, 'method' | 'path'>): string => `${method} ${path}`;

/** The path with each parameter as `textOf` says. */
export const withParameters = (path: string, textOf: (name: string) => string): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(textOf(name)));

/** Returns whether a route is served at the operators' address. */
export const isOfOperators = ({ service }: DocumentedRoute): boolean => service === 'marketplace-admin';

/** Routes that end what they are called with, or the caller: tests call them as someone who does not exist. */
export const ENDS_ITS_CALLER: ReadonlySet<string> = new Set([
  'POST /api/auth/logout',
  'DELETE /api/auth/sessions',
  'DELETE /api/auth/api-keys',
  'DELETE /api/auth/me',
]);

/** Runs `task` for each item, some at a time: two cores answer no faster when hundreds wait. */
export async function inParallel<Item>(items: readonly Item[], task: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
