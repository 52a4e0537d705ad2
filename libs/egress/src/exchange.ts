import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { classifyExchangeError, EgressError, type EgressErrorCode } from './errors.js';
import type { Lane } from './lane.js';

/** Time limits in milliseconds, for each phase and for the whole call. */
export interface Timeouts {
  /** Lookup, TCP and TLS. */
  connectMs: number;
  /** From the first byte sent to the last header received. */
  headersMs: number;
  /** From the last header to the last byte of the body. */
  bodyMs: number;
  totalMs: number;
}

/** The request as it is sent. */
export interface OutgoingRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** Limits on the response. */
export interface ExchangeLimits {
  timeouts: Timeouts;
  maxResponseBytes: number;
  /** Whether a longer body is truncated instead of being an error. */
  truncate: boolean;
}

/** The response. */
export interface ExchangeResult {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  truncated: boolean;
  /** Whether the connection can carry another request. */
  reusable: boolean;
}

const PHASE_MESSAGE: Record<'connectMs' | 'headersMs' | 'bodyMs', [EgressErrorCode, string]> = {
  connectMs: ['timeout_connect', 'The connection could not be opened in time'],
  headersMs: ['timeout_headers', 'The host did not start to respond in time'],
  bodyMs: ['timeout_body', 'The body of the response did not arrive in time'],
};

/**
 * Sends one request on a lane and reads the response within the limits.
 *
 * @throws EgressError (rejects); the lane must then be destroyed
 */
export function exchange(lane: Lane, request: OutgoingRequest, limits: ExchangeLimits): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let phaseTimer: NodeJS.Timeout | undefined;
    let settled = false;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let received = 0;
    const chunks: Buffer[] = [];

    const settle = () => {
      settled = true;
      clearTimeout(phaseTimer);
      clearTimeout(totalTimer);
    };
    const fail = (error: EgressError) => {
      if (settled) return;
      settle();
      controller?.abort(error);
      reject(error);
    };
    const succeed = (truncated: boolean) => {
      settle();
      resolve({ status, headers, body: Buffer.concat(chunks), truncated, reusable: !truncated });
    };
    const enter = (phase: 'connectMs' | 'headersMs' | 'bodyMs') => {
      clearTimeout(phaseTimer);
      phaseTimer = setTimeout(() => fail(new EgressError(...PHASE_MESSAGE[phase])), limits.timeouts[phase]);
    };
    const totalTimer = setTimeout(
      () => fail(new EgressError('timeout_total', 'The call took too long')),
      limits.timeouts.totalMs,
    );

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (settled) started.abort(new EgressError('reset', 'The call was cancelled'));
        else enter('headersMs');
      },
      onResponseStart(_controller, statusCode, responseHeaders) {
        // Interim responses such as 103 do not stop the clock: a host could send them forever.
        if (settled || statusCode < 200) return;
        status = statusCode;
        headers = responseHeaders;
        enter('bodyMs');
        const announced = Number(responseHeaders['content-length']);
        if (request.method !== 'HEAD' && announced > limits.maxResponseBytes && !limits.truncate)
          fail(tooLarge(limits));
      },
      onResponseData(current, chunk) {
        if (settled) return;
        const room = limits.maxResponseBytes - received;
        received += chunk.length;
        if (chunk.length <= room) {
          chunks.push(chunk);
        } else if (limits.truncate) {
          chunks.push(chunk.subarray(0, room));
          succeed(true);
          current.abort(tooLarge(limits));
        } else {
          fail(tooLarge(limits));
        }
      },
      onResponseEnd() {
        if (!settled) succeed(false);
      },
      onResponseError(_controller, error) {
        fail(classifyExchangeError(error));
      },
    };

    enter('connectMs');
    lane.client.dispatch(request, handler);
  });
}

function tooLarge(limits: ExchangeLimits): EgressError {
  return new EgressError('too_large', `The body of the response is larger than ${limits.maxResponseBytes} bytes`);
}
