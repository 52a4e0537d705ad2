import type { CallOrigin } from '@crm/access';
import { PlatformError, RPC_CONTRACTS, type RpcContract, type RpcRequest, type RpcResponse } from '@crm/contracts';
import { newId } from '@crm/database';
import { enterTrace, type Span, type SpanDescription } from '@crm/telemetry';
import { type NatsConnection as Connection, errors, headers, type MsgHdrs } from '@nats-io/nats-core';
import { Injectable } from '@nestjs/common';
import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { inboxPrefix } from '../broker-names.js';
import { metrics } from '../metrics.js';
import { NatsConnection } from '../nats-connection.js';
import { BatchedCalls } from './batched-calls.js';
import { AUTHORIZATION_HEADER, REQUEST_ID_HEADER, type Reply, replyError, TRACEPARENT_HEADER } from './wire.js';

const describe = ({ subject, server }: RpcContract, kind: 'client' | 'server'): SpanDescription => ({
  name: subject,
  kind,
  attributes: { 'rpc.system.name': 'nats', 'rpc.method': subject, 'server.address': server },
});

const describeCall = (contract: RpcContract): SpanDescription => describe(contract, 'client');

export const describeServedCall = (contract: RpcContract): SpanDescription => describe(contract, 'server');

/** @param code `ok`, or that of the error in the reply */
export function endCall(span: Span | undefined, code: string, error?: unknown): void {
  if (!span) return;
  span.set('rpc.response.status_code', code);
  if (code !== 'ok') span.fail(error instanceof PlatformError ? error : code);
  span.end();
}

/** On whose behalf and in which request a call is made; the principal of a handler says both. */
export interface CallOptions extends CallOrigin {
  /** Access token; needed for contracts that require a user. */
  readonly token?: string;
}

type TracedOptions = CallOptions & { readonly traceparent: string };

const CONTRACTS = new Map(RPC_CONTRACTS.map((contract) => [contract.subject, contract]));

/** Nest's `ClientProxy` on the connection of the process; `call` is typed, `send` is for code written for any proxy. */
@Injectable()
export class Rpc extends ClientProxy {
  private readonly batches = new Map<string, BatchedCalls>();

  constructor(private readonly nats: NatsConnection) {
    super();
  }

  /** @throws PlatformError of the server, SERVICE_UNAVAILABLE, or DEADLINE_EXCEEDED though it may have had its effect */
  async call<C extends RpcContract>(
    contract: C,
    request: RpcRequest<C>,
    options: CallOptions = {},
  ): Promise<RpcResponse<C>> {
    const end = metrics.rpcSeconds.startTimer({ side: 'client', subject: contract.subject });
    const { traceparent, span } = enterTrace(options.traceparent, describeCall, contract);
    try {
      const reply = await this.ask(contract, request, { ...options, traceparent });
      if (!reply.ok) throw replyError(reply);
      end({ code: 'ok' });
      endCall(span, 'ok');
      return reply.data as RpcResponse<C>;
    } catch (error) {
      const platformError = callError(error, contract);
      end({ code: platformError.code });
      endCall(span, platformError.code, platformError);
      throw platformError;
    }
  }

  private async ask(contract: RpcContract, request: unknown, options: TracedOptions): Promise<Reply> {
    if (contract.batched) {
      const { requestId = newId(), traceparent } = options;
      return this.batchedCalls(contract).call({ requestId, traceparent, request });
    }
    const message = await this.nats.connection.request(contract.subject, JSON.stringify(request), {
      timeout: contract.timeoutMs,
      headers: callHeaders(contract, options),
    });
    return message.json<Reply>();
  }

  private batchedCalls(contract: RpcContract): BatchedCalls {
    let calls = this.batches.get(contract.subject);
    if (!calls) {
      calls = new BatchedCalls(this.nats.connection, contract, inboxPrefix(this.nats.service));
      this.batches.set(contract.subject, calls);
    }
    return calls;
  }

  override async connect(): Promise<Connection> {
    return this.nats.connection;
  }

  override close(): void {
    // The connection is shared and closes with the process.
  }

  override unwrap<T>(): T {
    return this.nats.connection as T;
  }

  protected override publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const pattern = packet.pattern as RpcContract | string;
    const contract = typeof pattern === 'string' ? CONTRACTS.get(pattern) : pattern;
    if (!contract) throw new Error(`No contract has the subject ${pattern}`);
    this.call(contract, packet.data).then(
      (response) => callback({ response, isDisposed: true }),
      (err: unknown) => callback({ err }),
    );
    // A call cannot be cancelled; its reply is ignored.
    return () => undefined;
  }

  /** Rejects `emit`: an event sent here could belong to a change that is rolled back. */
  protected override async dispatchEvent(): Promise<never> {
    throw new Error('Events must be sent through the outbox, in the transaction of the change: use appendEvent');
  }
}

function callHeaders(contract: RpcContract, { requestId, traceparent, token }: TracedOptions): MsgHdrs {
  const result = headers();
  result.set(REQUEST_ID_HEADER, requestId ?? newId());
  result.set(TRACEPARENT_HEADER, traceparent);
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
