import { ACCESS_RULE, type AccessRule, declaresKeyAccess, declaresProof, PUBLIC_ROUTE } from '@crm/access';
import { OPERATORS_PREFIX } from '@crm/contracts';
import { type INestApplicationContext, type PipeTransform, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';

export interface RouteEntry {
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
  readonly handler: string;
  readonly public: boolean;
  readonly access?: AccessRule;
}

export interface ControllerRoute extends RouteEntry {
  readonly controller: Type;
  readonly methodName: string;
}

export const isOfOperators = ({ path }: Pick<RouteEntry, 'path'>): boolean => path.startsWith(`${OPERATORS_PREFIX}/`);

/** Every route of every controller, for the access matrix and the OpenAPI document. */
export function controllerRoutes(app: INestApplicationContext): ControllerRoute[] {
  const scanner = new MetadataScanner();
  const routes: ControllerRoute[] = [];
  for (const module of app.get(ModulesContainer, { strict: false }).values()) {
    for (const { metatype } of module.controllers.values()) {
      const controller = metatype as Type;
      for (const methodName of scanner.getAllMethodNames(controller.prototype)) {
        routes.push(...routesOf(controller, methodName));
      }
    }
  }
  return routes;
}

function routesOf(controller: Type, methodName: string): ControllerRoute[] {
  const handler = controller.prototype[methodName] as object;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return [];
  const prefixes = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  const suffixes = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
  const isPublic = firstOf<boolean>(PUBLIC_ROUTE, handler, controller) ?? false;
  const access = firstOf<AccessRule>(ACCESS_RULE, handler, controller);
  return prefixes.flatMap((prefix) =>
    suffixes.map((suffix) => ({
      method: RequestMethod[method],
      path: `/${[prefix, suffix].join('/').split('/').filter(Boolean).join('/')}`,
      handler: `${controller.name}.${methodName}`,
      public: isPublic,
      ...(access && !isPublic && { access }),
      controller,
      methodName,
    })),
  );
}

const firstOf = <T>(key: string, ...targets: object[]): T | undefined =>
  targets.map((target) => Reflect.getMetadata(key, target) as T | undefined).find((value) => value !== undefined);

/** Routes as they may be shown to operations and tests. */
export function listRoutes(app: INestApplicationContext): RouteEntry[] {
  return controllerRoutes(app).map(({ controller: _controller, methodName: _methodName, ...entry }) => entry);
}

/** @throws Error that lists every route which does not state who may call it, whether it needs a proof, or whether keys pass without */
export function requireAccessRules(routes: readonly RouteEntry[]): void {
  const problems = [
    listed(
      'These routes have neither @Access nor @Public',
      routes.filter((route) => !route.public && !route.access),
    ),
    listed(
      'The rules of these routes do not say whether they ask for a proof (`proof: true` or `false`)',
      routes.filter((route) => route.access && !declaresProof(route.access, isOfOperators(route))),
    ),
    listed(
      'The rules of these routes ask for a proof, and do not say whether API keys pass without one (`key: true` or `false`)',
      routes.filter((route) => route.access && !declaresKeyAccess(route.access)),
    ),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const listed = (problem: string, routes: readonly RouteEntry[]): string | undefined =>
  routes.length === 0
    ? undefined
    : [`${problem}:`, ...routes.map(({ method, path, handler }) => `  - ${method} ${path} (${handler})`)].join('\n');

interface RouteArgument {
  readonly data?: unknown;
  pipes?: readonly unknown[];
}

/** Nest would run a global pipe, with four promises, for ids and principals too. Call it before `init`. */
export function bindInputPipe(app: INestApplicationContext, pipe: PipeTransform): void {
  for (const { controller, methodName } of controllerRoutes(app)) {
    const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, methodName) ?? {}) as Record<
      string,
      RouteArgument
    >;
    for (const [key, argument] of Object.entries(args)) {
      const kind = Number(key.split(':', 1)[0]);
      if (kind !== RouteParamtypes.BODY && kind !== RouteParamtypes.QUERY) continue;
      if (argument.data !== undefined) continue;
      const own = argument.pipes ?? [];
      // The metadata is the class's: a second application in the process finds the pipe there.
      if (!own.some((bound) => bound instanceof pipe.constructor)) argument.pipes = [pipe, ...own];
    }
  }
}
