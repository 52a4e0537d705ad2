/** Why a call to the outside brought no answer. The codes are shown in delivery ledgers and run logs. */
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

/**
 * A call that brought no answer. The message may be shown to the owner of the URL: it names no address that
 * a lookup gave, since inside a network that would tell what its private zones contain.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly code: EgressErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The `code` that Node and undici put on their errors, or an empty text. */
export function errorCodeOf(error: unknown): string {
  // Not `instanceof Error`: errors of the runtime may come from another realm.
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined;
}

/**
 * Turns what undici reports about an exchange into an {@link EgressError}.
 *
 * @param error what the dispatcher reported; an EgressError (from the connector) passes unchanged
 */
export function classifyExchangeError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = errorCodeOf(error);
  const options = { cause: error };
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new EgressError('too_large', 'The headers of the answer are too large.', options);
  }
  if (code.startsWith('HPE_') || nameOf(error) === 'HTTPParserError') {
    return new EgressError('http_protocol', `The answer is not valid HTTP (${code || 'parse error'}).`, options);
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return new EgressError('http_protocol', 'The body of the answer has not the announced length.', options);
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new EgressError('http_protocol', 'The request cannot be sent: a header or the path is invalid.', options);
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new EgressError('tls', `The TLS connection failed (${code}).`, options);
  }
  return new EgressError(
    'reset',
    `The connection was closed before the answer was complete${code && ` (${code})`}.`,
    options,
  );
}
