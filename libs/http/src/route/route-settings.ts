import { RouteConfig } from '@nestjs/platform-fastify';

/** What a route may set for the HTTP layer. */
export interface RouteSettings {
  /** Bytes. */
  readonly bodyLimit?: number;
  /** Problem documents of this route are the same for everybody: without request id and instance. */
  readonly constantProblems?: boolean;
  /** The body is a form (`application/x-www-form-urlencoded`), which reaches the handler as the text that was sent. */
  readonly formBody?: boolean;
}

const FASTIFY_ROUTE_CONFIG = '__fastify_route_config__';

/** The settings of the route that a handler serves. */
export const settingsOf = (handler: object): RouteSettings =>
  (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG, handler) as RouteSettings | undefined) ?? {};

/** Adds to the settings of a route; several decorators may each add theirs. */
export function routeSettings(settings: RouteSettings): MethodDecorator {
  return (target, key, descriptor) => {
    const present = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG, descriptor.value as object) as RouteSettings | undefined;
    RouteConfig({ ...present, ...settings })(target, key, descriptor as PropertyDescriptor);
  };
}
