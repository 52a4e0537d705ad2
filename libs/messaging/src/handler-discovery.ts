import type { RpcContract } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EVENT_SUBSCRIPTION, type EventMethod, type EventSubscription } from './events/event-handler.js';
import { RPC_CONTRACT } from './rpc/rpc-handler.js';
import type { RpcMethod } from './rpc/rpc-server.js';

/** Finds the methods of the application's providers that are marked as handlers. */
@Injectable()
export class HandlerDiscovery {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  rpcHandlers(): { contract: RpcContract; method: RpcMethod }[] {
    return this.marked<RpcContract, RpcMethod>(RPC_CONTRACT).map(({ mark, method }) => ({ contract: mark, method }));
  }

  eventHandlers(): { subscription: EventSubscription; method: EventMethod }[] {
    return this.marked<EventSubscription, EventMethod>(EVENT_SUBSCRIPTION).map(({ mark, method }) => ({
      subscription: mark,
      method,
    }));
  }

  private marked<Mark, Method extends (...parameters: never[]) => unknown>(
    key: string,
  ): { mark: Mark; method: Method }[] {
    const instances = new Set<Record<string, unknown>>();
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      // Only classes: a value or factory provider has no decorated methods, and reading its properties may have effects.
      if (wrapper.metatype && wrapper.isDependencyTreeStatic() && isDecoratedClass(wrapper.instance)) {
        instances.add(wrapper.instance);
      }
    }
    return [...instances].flatMap((instance) =>
      this.scanner.getAllMethodNames(Object.getPrototypeOf(instance)).flatMap((name) => {
        const method = instance[name] as Method;
        const mark = Reflect.getMetadata(key, method) as Mark | undefined;
        return mark === undefined ? [] : [{ mark, method: method.bind(instance) as Method }];
      }),
    );
  }
}

function isDecoratedClass(instance: unknown): instance is Record<string, unknown> {
  return typeof instance === 'object' && instance !== null && Object.getPrototypeOf(instance) !== Object.prototype;
}
