export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyService } from './idempotency.service.js';
export { createIdempotencyTable } from './idempotency.table.js';
export { IdempotencyKey, readIdempotencyKey } from './idempotency-key.js';
export { headerCall, type IdempotentCall, stepCall } from './idempotent-call.js';
