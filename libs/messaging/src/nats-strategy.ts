import type { ConsumerDefinition, EventName, RpcContract } from '@crm/contracts';
import { Database } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { EventConsumer } from './events/event-consumer.js';
import { EventConsumers } from './events/event-consumers.js';
import { EventContext, EventReceipt } from './events/event-context.js';
import { ALL_EVENTS } from './events/event-handler.js';
import { MESSAGING_OPTIONS, type MessagingModuleOptions } from './messaging-options.js';
import { NatsConnection } from './nats-connection.js';
import { RpcServer } from './rpc/rpc-server.js';

/**
 * Nest's transport over the one connection of the process: call handlers answer on subjects, event handlers belong to
 * durable consumers. Nest finds them in the controllers and wraps them in guards, pipes, interceptors and filters.
 */
@Injectable()
export class NatsStrategy extends Server implements CustomTransportStrategy {
  /** Nest would also log the error of an event handler, which its consumer already logs. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly rpcServer: RpcServer;
  private readonly consumers: EventConsumers;

  constructor(
    @Inject(MESSAGING_OPTIONS) options: MessagingModuleOptions,
    private readonly nats: NatsConnection,
    modules: ModuleRef,
  ) {
    super();
    this.rpcServer = new RpcServer(nats);
    this.consumers = new EventConsumers(options.config, nats, () => modules.get(Database, { strict: false }));
  }

  /**
   * Called by Nest for each handler and pattern. Handlers of one event run one after the other, because they share
   * a transaction; Nest would chain them and run them concurrently.
   * @throws Error for a contract or consumer of another service, for a second handler of a contract, and for patterns not made
   *   by `@RpcHandler` or `@EventHandler`
   */
  override addHandler(
    pattern: unknown,
    callback: MessageHandler,
    isEventHandler = false,
    extras: { contract?: RpcContract; consumer?: ConsumerDefinition; isIdempotent?: boolean } = {},
  ): void {
    const { contract, consumer, isIdempotent } = extras;
    if (contract && !isEventHandler) {
      this.rpcServer.add(contract, async (request, context) => outcomeOf(await callback(request, context)));
      super.addHandler(pattern, callback, isEventHandler, extras);
    } else if (consumer && isEventHandler) {
      const events = pattern === ALL_EVENTS ? 'all' : [pattern as EventName];
      const added = this.consumers.of(consumer);
      if (isIdempotent) {
        added.onIdempotent(events, async (event, receipt) => {
          await outcomeOf(await callback(event, new EventReceipt(receipt, consumer)));
        });
      } else {
        added.on(events, async (event, tx) => {
          await outcomeOf(await callback(event, new EventContext(tx, consumer)));
        });
      }
    } else {
      throw new Error(`The handler of ${String(pattern)} must be marked with @RpcHandler or @EventHandler`);
    }
  }

  /** Starts to accept calls and events. */
  override listen(callback: () => void): void {
    this.rpcServer.start();
    this.consumers.start();
    callback();
  }

  /** Accepts no more calls and events and waits for those in progress. Can be called twice. */
  override async close(): Promise<void> {
    await Promise.all([this.rpcServer.drain(), this.consumers.stop()]);
  }

  /** The service's consumers with their handlers. They accept events only once the application starts. */
  eventConsumers(): EventConsumer[] {
    return this.consumers.list();
  }

  override on(): never {
    throw new Error('Use NatsConnection for the state of the connection');
  }

  override unwrap<T>(): T {
    return this.nats.connection as T;
  }
}

/**
 * The outcome of a handler. A filter turns a failure into an Observable that errs, which `await` does not reveal; an
 * interceptor turns every result into an Observable.
 */
function outcomeOf(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
