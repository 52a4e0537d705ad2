/** Why a call to the outside got no response. The codes are shown in delivery ledgers and run logs. */
export type EgressErrorCode =
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout_connect'
  | 'timeout_headers'
  | 'timeout_body'
  | 'timeout_total'
  | 'too_large'
  | 'http_protocol'
  | 'reset';

/** What a call was doing: checking the URL, looking up the name, opening the socket, or waiting for the response. */
export type EgressPhase = 'policy' | 'dns' | 'connect' | 'tls' | 'headers' | 'body';

/**
 * A call that got no response. The message may be shown to the owner of the URL, so it never contains an address
 * from a lookup, which would reveal the contents of private zones.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  /** Where the call failed, which the codes of time limits and `reset` do not say. Set by the client. */
  phase: EgressPhase = 'policy';
  /** Milliseconds from the call to its failure. Set by the client. */
  latencyMs = 0;

  constructor(
    readonly code: EgressErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

export function errorCodeOf(error: unknown): string {
  // Not `instanceof Error`: runtime errors may come from another realm.
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined;
}

/**
 * Converts an error that undici reports about an exchange into an {@link EgressError}.
 * @param error what the dispatcher reported; an EgressError (from the connector) is returned unchanged
 */
export function classifyExchangeError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = errorCodeOf(error);
  const options = { cause: error };
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new EgressError('too_large', 'The headers of the response are too large', options);
  }
  if (code.startsWith('HPE_') || nameOf(error) === 'HTTPParserError') {
    return new EgressError('http_protocol', `The response is not valid HTTP (${code || 'parse error'})`, options);
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return new EgressError('http_protocol', 'The body of the response does not have the announced length', options);
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new EgressError('http_protocol', 'The request cannot be sent: a header or the path is invalid', options);
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new EgressError('tls', `The TLS connection failed (${code})`, options);
  }
  return new EgressError(
    'reset',
    `The connection was closed before the response was complete${code && ` (${code})`}`,
    options,
  );
}
