import { continueTrace, currentRequestContext } from '@crm/context';
import { PlatformError, type RpcContract, type RpcRequest, type RpcResponse } from '@crm/contracts';
import { newId } from '@crm/database';
import { errors, headers, type MsgHdrs } from '@nats-io/nats-core';
import { Injectable } from '@nestjs/common';
import { metrics } from '../metrics.js';
import { NatsConnection } from '../nats-connection.js';
import { AUTHORIZATION_HEADER, REQUEST_ID_HEADER, type Reply, replyError, TRACEPARENT_HEADER } from './wire.js';

export interface CallOptions {
  /** Access token of whom the call is made for; that of the request in progress when left out. */
  token?: string;
}

/** Calls other services. */
@Injectable()
export class Rpc {
  constructor(private readonly nats: NatsConnection) {}

  /**
   * Sends the request and waits for the reply, as long as the contract says.
   * @throws PlatformError what the server replied; SERVICE_UNAVAILABLE when nobody serves it; DEADLINE_EXCEEDED when no
   *   reply came in time (the call may still have had its effect)
   */
  async call<C extends RpcContract>(
    contract: C,
    request: RpcRequest<C>,
    options: CallOptions = {},
  ): Promise<RpcResponse<C>> {
    const end = metrics.rpcSeconds.startTimer({ side: 'client', subject: contract.subject });
    try {
      const message = await this.nats.connection.request(contract.subject, JSON.stringify(request), {
        timeout: contract.timeoutMs,
        headers: callHeaders(contract, options),
      });
      const reply = message.json<Reply>();
      if (!reply.ok) throw replyError(reply);
      end({ code: 'ok' });
      return reply.data as RpcResponse<C>;
    } catch (error) {
      const platformError = callError(error, contract);
      end({ code: platformError.code });
      throw platformError;
    }
  }
}

function callHeaders(contract: RpcContract, options: CallOptions): MsgHdrs {
  const context = currentRequestContext();
  const result = headers();
  result.set(REQUEST_ID_HEADER, context?.requestId ?? newId());
  result.set(TRACEPARENT_HEADER, continueTrace(context?.traceparent));
  const token = options.token ?? context?.principal?.token;
  if (contract.principal === 'user' && token) result.set(AUTHORIZATION_HEADER, `Bearer ${token}`);
  return result;
}

function callError(error: unknown, contract: RpcContract): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof errors.TimeoutError) {
    return new PlatformError('DEADLINE_EXCEEDED', undefined, { retryAfterSeconds: 1, cause: error });
  }
  const isUnserved =
    error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());
  const isClosed = error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;
  if (isUnserved || isClosed) {
    return new PlatformError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof errors.InvalidArgumentError && /max_payload/.test(error.message)) {
    return new PlatformError('PAYLOAD_TOO_LARGE', undefined, { cause: error });
  }
  const cause = new Error(`The call of ${contract.subject} failed`, { cause: error });
  return new PlatformError('INTERNAL_ERROR', undefined, { cause });
}
