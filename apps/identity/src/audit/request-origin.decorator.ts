import { callOf } from '@crm/access';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Where a call without a token comes from, for the sessions that it opens and for the audit trail. */
export interface RequestOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** Injects where an HTTP call comes from. */
export const CurrentOrigin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => {
  const { ip, headers, callContext } = callOf(context);
  const { requestId, traceparent } = callContext;
  return { address: ip ?? '', userAgent: headers['user-agent'] ?? null, requestId, traceparent };
});
