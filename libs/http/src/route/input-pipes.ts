import type { INestApplicationContext, PipeTransform } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { controllerRoutes } from './list-routes.js';

interface RouteArgument {
  readonly data?: unknown;
  pipes?: readonly unknown[];
}

/**
 * Binds a pipe to each parameter that takes a whole body or query, as `@Body(pipe)` and `@Query(pipe)` would. Nest runs a
 * global pipe, with four promises, for ids and principals too; a handler without a body and a query now needs none.
 * Call it before the application is initialised.
 */
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
