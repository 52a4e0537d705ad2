export { addressKey, isLoopback, Limiter, LimitGroup, limitHeaders, rateLimited } from './limiter.js';
export { type Limit, LimiterStore, MemoryLimiterStore } from './limiter-store.js';
export { type LimitsConfig, LimitsModule } from './limits.module.js';
