/** The request that work belongs to; events and calls of other services carry it on. */
export interface CallOrigin {
  readonly requestId?: string | undefined;
  /** W3C trace context, version 00. */
  readonly traceparent?: string | undefined;
  /** Of the client of an HTTP request, in the service that received it. */
  readonly address?: string | undefined;
  /** As the client of an HTTP request sends it: it can say anything. */
  readonly userAgent?: string | null | undefined;
}
