export { Backoff, jittered } from './backoff.js';
export { Breaker, type BreakerOptions } from './breaker.js';
export { Sweeper, type SweeperOptions } from './sweeper.js';
export { TenantShares } from './tenant-shares.js';
export { Wake } from './wake.js';
export { type Claimed, LOOK_AGAIN_SOON, type Room, Worker, type WorkerOptions, type WorkItem } from './worker.js';
