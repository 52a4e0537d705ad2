export { addressKey, isLoopback } from './client-address.js';
export { LimitGroup } from './limit-group.js';
export { Limiter } from './limiter.js';
export { type Limit, LimiterStore } from './limiter-store.js';
export { type LimitsConfig, LimitsModule } from './limits.module.js';
export { MemoryLimiterStore } from './memory-limiter-store.js';
export { limitHeaders, rateLimited } from './rate-limits.js';
