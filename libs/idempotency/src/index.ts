export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyService } from './idempotency.service.js';
export { createIdempotencyTable } from './idempotency.table.js';
export { IDEMPOTENCY_HEADER, IdempotencyKey, readIdempotencyKey } from './idempotency-key.js';
export { HEADER_KEPT_HOURS, headerCall, type IdempotentCall } from './idempotent-call.js';
