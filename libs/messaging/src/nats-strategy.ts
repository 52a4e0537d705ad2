import { ACCESS_RULE, type AccessRule, declaresProof, PUBLIC_ROUTE } from '@crm/access';
import type { ConsumerDefinition, EventName, RpcContract } from '@crm/contracts';
import { Database } from '@crm/database';
import { Inject, Injectable, type Type } from '@nestjs/common';
import { MetadataScanner, ModuleRef, type ModulesContainer } from '@nestjs/core';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';
import { isObservable, lastValueFrom } from 'rxjs';
import { ConsumerAge, ConsumerUpkeep } from './events/consumer-upkeep.js';
import { EventConsumer } from './events/event-consumer.js';
import { ALL_EVENTS, EventContext, EventReceipt } from './events/event-handling.js';
import {
  MESSAGING_OPTIONS,
  type MessagingConfig,
  type MessagingModuleOptions,
  NatsConnection,
} from './nats-connection.js';
import { RPC_CONTRACT } from './rpc/rpc-handler.js';
import { RpcServer } from './rpc/rpc-server.js';

/** Nest ignores these mistakes silently. @throws Error that lists handlers that would never be called or checked */
export function checkHandlers(modules: ModulesContainer): void {
  const problems: string[] = [];
  for (const { controllers, providers } of modules.values()) {
    for (const { method, name } of handlersOf(providers)) {
      if (Reflect.hasMetadata(PATTERN_METADATA, method)) problems.push(`${name} is in a provider, not in a controller`);
    }
    for (const { type, method, name } of handlersOf(controllers)) {
      const contract = Reflect.getMetadata(RPC_CONTRACT, method) as RpcContract | undefined;
      const problem = contract && accessProblem(contract, type, method);
      if (problem) problems.push(`${name} ${problem}`);
    }
  }
  if (problems.length > 0)
    throw new Error(`These handlers cannot be served:\n${problems.map((p) => `  - ${p}`).join('\n')}`);
}

function accessProblem(contract: RpcContract, type: Type, method: object): string | undefined {
  const isMarked = (key: string) => Reflect.hasMetadata(key, method) || Reflect.hasMetadata(key, type);
  const rule = (Reflect.getMetadata(ACCESS_RULE, method) ?? Reflect.getMetadata(ACCESS_RULE, type)) as
    | AccessRule
    | undefined;
  if (contract.principal === 'user') {
    if (isMarked(PUBLIC_ROUTE)) return `is @Public, though ${contract.subject} is called with a user's token`;
    if (!rule) return `has no @Access, though ${contract.subject} is called with a user's token`;
    if (!declaresProof(rule)) return 'has a rule that does not say whether it asks for a proof';
  } else if (Reflect.hasMetadata(ACCESS_RULE, method)) {
    return `has @Access, though ${contract.subject} is called without a token`;
  }
  return undefined;
}

function* handlersOf(
  wrappers: ReadonlyMap<unknown, { metatype: unknown }>,
): Generator<{ type: Type; method: object; name: string }> {
  const scanner = new MetadataScanner();
  for (const { metatype } of wrappers.values()) {
    // A factory has no prototype with methods; a value has no metatype.
    if (typeof metatype !== 'function' || !metatype.prototype) continue;
    const type = metatype as Type;
    for (const key of scanner.getAllMethodNames(type.prototype)) {
      yield { type, method: type.prototype[key] as object, name: `${type.name}.${key}` };
    }
  }
}

class EventConsumers {
  private readonly consumers = new Map<string, EventConsumer>();
  private upkeep: ConsumerUpkeep | undefined;
  private age: ConsumerAge | undefined;

  /** @param database resolved for the first consumer, because services without events have none */
  constructor(
    private readonly config: Pick<MessagingConfig, 'service'>,
    private readonly nats: NatsConnection,
    private readonly database: () => Database,
  ) {}

  /** @throws Error when the consumer belongs to another service */
  of(definition: ConsumerDefinition): EventConsumer {
    const { service } = this.config;
    if (definition.service !== service)
      throw new Error(`The consumer ${definition.durable} does not belong to ${service}`);
    let consumer = this.consumers.get(definition.durable);
    if (!consumer) {
      consumer = new EventConsumer(definition, this.nats, this.database());
      this.consumers.set(definition.durable, consumer);
    }
    return consumer;
  }

  list(): EventConsumer[] {
    return [...this.consumers.values()];
  }

  start(): void {
    if (this.consumers.size === 0) return;
    for (const consumer of this.consumers.values()) consumer.start();
    this.upkeep = new ConsumerUpkeep(this.database(), [...this.consumers.keys()]);
    this.upkeep.start();
    this.age = new ConsumerAge(this.nats, [...this.consumers.keys()]);
    this.age.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.upkeep?.stop(), this.age?.stop(), ...this.list().map((consumer) => consumer.stop())]);
  }
}

/** Nest finds the handlers in the controllers and wraps them in guards, pipes, interceptors and filters. */
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

  /** Handlers of one event share a transaction, so they run one after the other; Nest would run them concurrently. */
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

/** A filter turns a failure into an Observable that errs, which `await` does not reveal; interceptors always make one. */
function outcomeOf(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
