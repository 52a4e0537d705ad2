/** The request that work belongs to; events and calls of other services carry it on. */
export interface CallOrigin {
  readonly requestId?: string | undefined;
  /** W3C trace context, version 00. */
  readonly traceparent?: string | undefined;
}
