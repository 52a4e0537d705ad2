import { type DynamicModule, Module } from '@nestjs/common';
import { LimiterStore, MemoryLimiterStore } from './limiter-store.js';

export interface LimitsConfig {
  /** Redis or Valkey, in which all replicas count together; undefined: each process counts in its memory. */
  readonly redisUrl?: string | undefined;
  /** Milliseconds that a request waits for it (tests that count exactly, on machines that are busy). */
  readonly answerMs?: number | undefined;
}

/** Provides the store of a service's limits, for every module: inject `LimiterStore` and make a `Limiter` with it. */
@Module({})
export class LimitsModule {
  /** @param service whose limits these are: those of different services are counted separately */
  static forService({ redisUrl, answerMs }: LimitsConfig, service: string): DynamicModule {
    return {
      module: LimitsModule,
      global: true,
      providers: [{ provide: LimiterStore, useFactory: () => openStore(redisUrl, service, answerMs) }],
      exports: [LimiterStore],
    };
  }
}

async function openStore(
  redisUrl: string | undefined,
  service: string,
  answerMs: number | undefined,
): Promise<LimiterStore> {
  if (redisUrl === undefined) return new MemoryLimiterStore();
  // The client is some 17 MB of memory that processes without Redis need not have.
  const { RedisLimiterStore } = await import('./redis/redis-limiter-store.js');
  return new RedisLimiterStore(redisUrl, service, answerMs);
}
