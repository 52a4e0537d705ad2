/** Attempts enough for every receiver that accepts in the end, within seconds instead of days. */
export const WEBHOOK_RETRY_DELAYS = '0s,200ms,300ms,500ms,500ms,1s,1s,1s';

/** After so many a delivery has failed. */
export const ATTEMPTS = WEBHOOK_RETRY_DELAYS.split(',').length;
