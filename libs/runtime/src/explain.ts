/** A readable message for the error that ended a program. */
export function explain(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(explain).join('; ');
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE') return `the port ${port} on ${address} is in use by another process`;
  if (code === 'EACCES' && port !== undefined) return `this user may not listen on the port ${port}`;
  return error.message || error.name;
}
