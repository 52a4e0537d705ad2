import type { Writable } from 'node:stream';
import type { PoolClient } from 'pg';

/** Connections whose statements are being held back. */
const held = new WeakSet<Writable>();

/**
 * Sends the statements that are issued from now until the end of this turn of the event loop in one write. pg writes each
 * by itself, even in pipeline mode, and a write to a socket costs as much as a small statement.
 */
export function inOneWrite(client: PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  if (held.has(stream)) return;
  held.add(stream);
  stream.cork();
  // After the promises that are settled by now, so that what they issue goes along.
  process.nextTick(() => {
    held.delete(stream);
    stream.uncork();
  });
}
