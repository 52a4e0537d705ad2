import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { checkHandlers } from './check-handlers.js';
import { MessagingModule } from './messaging.module.js';
import { NatsStrategy } from './nats-strategy.js';

/**
 * Connects the handlers of calls and events to the application's connection, with the application's own guards, pipes,
 * interceptors and filters: call it after these are set. `startAllMicroservices` starts them. Does nothing in an
 * application without the MessagingModule.
 * @throws Error when a handler cannot be served, or does not declare who may call it
 */
export function connectMessaging(app: INestApplication): void {
  const modules = app.get(ModulesContainer, { strict: false });
  if (![...modules.values()].some(({ metatype }) => metatype === MessagingModule)) return;
  checkHandlers(modules);
  const strategy = app.get(NatsStrategy, { strict: false });
  app.connectMicroservice<MicroserviceOptions>({ strategy }, { inheritAppConfig: true });
}
