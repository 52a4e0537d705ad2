import { RouteConfig } from '@nestjs/platform-fastify';

/** Bytes a body may have unless a route says otherwise. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Another limit for the body of a route, in bytes; a larger one is answered by 413 PAYLOAD_TOO_LARGE. */
export const BodyLimit = (bytes: number): MethodDecorator => RouteConfig({ bodyLimit: bytes }) as MethodDecorator;
