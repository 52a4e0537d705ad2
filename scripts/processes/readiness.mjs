import { once } from 'node:events';
import net from 'node:net';

/** @param {string} url @returns {Promise<{ status: number, body: string }>} status 0 when nobody answers */
export async function get(url) {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    const { cause = error } = /** @type {{ cause?: unknown }} */ (error);
    return { status: 0, body: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** @param {number} port on 127.0.0.1 @returns {Promise<boolean>} whether someone accepts connections */
export async function accepts(port) {
  const socket = net.connect({ host: '127.0.0.1', port, signal: AbortSignal.timeout(1000) });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
