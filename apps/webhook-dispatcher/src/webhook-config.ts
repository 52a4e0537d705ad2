/** Injection token of the service's configuration. */
export const WEBHOOK_CONFIG = Symbol('webhook configuration');
